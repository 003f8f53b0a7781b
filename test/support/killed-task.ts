// A run as a request leaves it that has started it and does not execute it: its process was killed, or has not
// come to the first node.
import { newRunId } from '#lib/ids.ts';
import { requestLog } from '#lib/log.ts';
import { readRow } from '#lib/registry/row/row-items.ts';
import { type InlineRun, startInline } from '#lib/run/run-inline.ts';
import type { TestCaller } from './caller.ts';
import { liveAgent, type TestAgent } from './flows.ts';

export async function startedTask(
  agent: TestAgent,
  caller: Pick<TestCaller, 'id' | 'orgid'> = agent,
  runId = newRunId(),
): Promise<InlineRun> {
  const row = await readRow(agent.a2aregistryid);
  if (!row) throw new Error('The row was just made.');
  const input = { message: '', user_variables: {} };
  return await startInline({
    runId,
    row,
    caller,
    trigger: 'a2a',
    environment: 'live',
    flowInput: input,
    keepInput: JSON.stringify({
      ...input,
      a2a: { message: { messageId: '1', role: 'ROLE_USER', parts: [] } },
    }),
    remainingMs: () => 165_000,
    log: requestLog({}),
  });
}

export async function killedTask(): Promise<{ agent: TestAgent; id: string }> {
  const agent = await liveAgent();
  const { run } = await startedTask(agent);
  return { agent, id: run.run_id };
}
