// Calls of an agent as its callers make them.
import { call } from '../client.ts';
import type { TestAgent } from '../flows.ts';

/** The answer of the route that starts a run and waits for it. */
export async function runFlow({ key, workspaceid, flowid }: TestAgent, message: string) {
  const params = { workspace_id: workspaceid, trigger_id: flowid, environment: 'live' };
  return await call('triggerFlow', { key, params, body: { message } });
}

/** The status and the code or state of the answer. */
export async function trigger(agent: TestAgent): Promise<string> {
  const answer = await runFlow(agent, 'Hello');
  const { status } = answer;
  return `${status} \`${status === 200 ? answer.body.status : answer.problem.code}\``;
}
