// What tests of runs ask the API again and again.
import type { TestCaller } from './caller.ts';
import { call } from './client.ts';
import { askingFlow, liveAgent, type TestAgent } from './flows.ts';

type Agent = Pick<TestAgent, 'key' | 'workspaceid' | 'flowid'>;

export const startRun = (agent: Agent, message = 'Hello', headers: Readonly<Record<string, string>> = {}) =>
  call('startRun', {
    key: agent.key,
    params: { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' },
    body: { message },
    headers,
  });

/** The id of a new run in the background. */
export const startedRun = async (agent: Agent, message?: string) =>
  (await startRun(agent, message)).body.workflow_id;

const of = (agent: Omit<Agent, 'flowid'>, workflow_id: string) => ({
  key: agent.key,
  params: { workspace_id: agent.workspaceid, workflow_id },
});

export const runState = async (agent: Omit<Agent, 'flowid'>, id: string) =>
  (await call('getRun', of(agent, id))).body;

export const cancelRun = (agent: Omit<Agent, 'flowid'>, id: string) => call('cancelRun', of(agent, id));

export const resumeRun = (agent: Omit<Agent, 'flowid'>, id: string, body: object) =>
  call('resumeRun', { ...of(agent, id), body });

/** The parameters of a run that waits for an answer. */
export async function askingRun(caller: TestCaller) {
  const { flowid, workspaceid: workspace_id } = await liveAgent({ flow: askingFlow() }, caller);
  const params = { workspace_id, trigger_id: flowid, environment: 'live' };
  const { body } = await call('triggerFlow', { key: caller.key, params, body: { message: 'hello' } });
  return { workspace_id, workflow_id: body.workflow_id };
}
