import { describe, expect, test } from 'vitest';
import { newRunId } from '#lib/ids.ts';
import { readLetter } from '#lib/run/dead-letter-items.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { deliver, webhookMessage } from '#test/support/runs.ts';

/** An event of a flow that has no live build. */
async function newLetter(
  caller: TestCaller,
  message = webhookMessage({ ...caller, flowid: unique('flow'), a2aregistryid: '' }),
) {
  await deliver(JSON.stringify(message));
  await idle();
  return message;
}
const inWorkspace = ({ workspaceid }: TestCaller) => ({ query: { workspaceid } });
const dismiss = (caller: TestCaller, id: string) =>
  call('dismissDeadLetter', { key: caller.key, params: { id }, ...inWorkspace(caller) });
const listed = async (caller: TestCaller) =>
  (await call('listDeadLetters', { key: caller.key, ...inWorkspace(caller) })).body.items;

describe('204', () => {
  test('a dismissed letter leaves the list and loses its content, and the others stay', async () => {
    const caller = await newCaller();
    const [one, other] = [await newLetter(caller), await newLetter(caller)];
    expect((await dismiss(caller, one.triggerId)).status).toBe(204);
    expect((await listed(caller)).map(({ id }) => id)).toEqual([other.triggerId]);
    const kept = await readLetter(caller, one.triggerId);
    expect(kept).toMatchObject({ preview: '', reason: expect.stringContaining('no live build') });
    expect(kept).not.toHaveProperty('body');
  });

  test('the status of the event still gives the reason', async () => {
    const caller = await newCaller();
    const { triggerId: workflow_id } = await newLetter(caller);
    await dismiss(caller, workflow_id);
    const params = { workspace_id: caller.workspaceid, workflow_id };
    const { body } = await call('getRun', { key: caller.key, params });
    expect(body).toMatchObject({ status: 'failed', error: expect.stringContaining('no live build') });
    const detail = await call('getRunDetail', { key: caller.key, params: { workflow_id } });
    expect(detail.problem).toMatchObject({
      code: 'event_not_run',
      detail: expect.stringMatching(/It was dismissed\.$/),
    });
  });

  test('an event that is sent and fails again under its name is a dead letter again, with its content', async () => {
    const caller = await newCaller();
    const message = await newLetter(caller);
    await dismiss(caller, message.triggerId);
    await newLetter(caller, message);
    expect(await listed(caller)).toMatchObject([
      { id: message.triggerId, attempts: 2, preview: expect.stringContaining('event') },
    ]);
  });

  test('the audit trail names the key that dismissed it', async () => {
    const caller = await newCaller();
    const { triggerId: id } = await newLetter(caller);
    const { headers } = await dismiss(caller, id);
    await idle();
    const { items } = (await call('listAudit', { key: caller.key, ...inWorkspace(caller) })).body;
    expect(items[0]).toMatchObject({
      requestid: headers.get('x-request-id'),
      operation: 'run/dismiss-dead-letter',
      resource: id,
      status: 204,
    });
  });
});

describe('403', () => {
  test('a key without the permission to delete', async () => {
    const caller = await newCaller({ scopes: ['assistants.flows:run', 'assistants.flows:read'] });
    const { problem } = await dismiss(caller, newRunId());
    expect(problem.detail).toContain('assistants.flows:delete');
  });
});

describe('404', () => {
  test('a missing letter, one of another organisation and a dismissed one give the same error', async () => {
    const [own, other] = [await newCaller(), await newCaller()];
    const [mine, foreign] = [await newLetter(own), await newLetter(other)];
    await dismiss(own, mine.triggerId);
    const answers = [
      await dismiss({ ...own, workspaceid: other.workspaceid }, foreign.triggerId),
      await dismiss(own, newRunId()),
      await dismiss(own, mine.triggerId),
      await call('redriveDeadLetter', { key: own.key, params: { id: mine.triggerId }, ...inWorkspace(own) }),
    ];
    for (const { problem } of answers) expect(problem.code).toBe('dead_letter_not_found');
    expect(await listed(other)).toHaveLength(1);
  });
});
