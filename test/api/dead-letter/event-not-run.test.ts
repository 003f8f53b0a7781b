// What is said of the run of an event that could not be run: the status calls it failed, and every other
// callOperation says why it has none.
import { describe, expect, test } from 'vitest';
import { newRunId } from '#lib/ids.ts';
import type { OperationId } from '#lib/routes/routes.ts';
import { markRedriven, readLetter } from '#lib/run/dead-letter-items.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { deliver, webhookMessage } from '#test/support/runs.ts';

type CallOperation = (caller: Pick<TestCaller, 'key' | 'workspaceid'>, id: string) => ReturnType<typeof call>;
const byId =
  (operation: OperationId): CallOperation =>
  ({ key }, workflow_id) =>
    call(operation, { key, params: { workflow_id } });
const inWorkspace =
  (operation: OperationId, body?: object): CallOperation =>
  ({ key, workspaceid: workspace_id }, workflow_id) =>
    call(operation, { key, params: { workspace_id, workflow_id }, ...(body && { body }) });

const operations: readonly (readonly [OperationId, CallOperation])[] = [
  ['getRunDetail', byId('getRunDetail')],
  ['followRun', byId('followRun')],
  ['cancelRun', inWorkspace('cancelRun')],
  ['resumeRun', inWorkspace('resumeRun', { answer: 'yes' })],
  [
    'listDeliveries',
    ({ key, workspaceid }, workflow_id) =>
      call('listDeliveries', { key, params: { workflow_id }, query: { workspaceid } }),
  ],
];

/** An event for a flow that has no live build. */
async function deadEvent(caller: TestCaller): Promise<string> {
  const message = webhookMessage({ ...caller, flowid: unique('flow'), a2aregistryid: '' });
  await deliver(JSON.stringify(message));
  await idle();
  return message.triggerId;
}

describe.each(operations)('404 of %s', (_, callOperation) => {
  test('gives the reason and the remedy, without Retry-After', async () => {
    const caller = await newCaller();
    const { problem, headers } = await callOperation(caller, await deadEvent(caller));
    expect(problem).toMatchObject({ status: 404, code: 'event_not_run' });
    expect(problem.detail).toMatch(/dead letter .* has no live build\. Once it is redriven/);
    expect(headers.has('retry-after')).toBe(false);
  });

  test('has Retry-After once the event is back in the queue', async () => {
    const caller = await newCaller();
    const id = await deadEvent(caller);
    const letter = await readLetter(caller, id);
    if (letter) await markRedriven(letter, new Date().toISOString());
    const { problem, headers } = await callOperation(caller, id);
    expect(problem).toMatchObject({ code: 'run_not_found', detail: expect.stringContaining('ask again') });
    expect(headers.has('retry-after')).toBe(true);
  });

  test('does not reveal the event to other callers', async () => {
    const caller = await newCaller();
    const id = await deadEvent(caller);
    const elsewhere = await newCaller({ orgid: caller.orgid, workspaces: [unique('ws')] });
    for (const other of [await newCaller(), elsewhere]) {
      const { problem } = await callOperation(other, id);
      const missing = await callOperation(other, newRunId());
      expect({ ...problem, instance: '' }).toEqual({ ...missing.problem, instance: '' });
    }
  });
});
