import { describe, expect, test } from 'vitest';
import { flow, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { deliver, webhookMessage } from '#test/support/runs.ts';

/** An event that came before its flow had a live build. */
async function early(caller: TestCaller, flowid: string): Promise<string> {
  const message = webhookMessage({ ...caller, flowid, a2aregistryid: '' });
  await deliver(JSON.stringify(message));
  return message.triggerId;
}
const redrive = ({ key, workspaceid }: Pick<TestCaller, 'key' | 'workspaceid'>, body: object) =>
  call('redriveDeadLetters', { key, query: { workspaceid }, body });
const readStatus = async ({ key, workspaceid }: TestCaller, workflow_id: string) =>
  (await call('getRun', { key, params: { workspace_id: workspaceid, workflow_id } })).body.status;

describe('200', () => {
  test('the events of a flow run after its cause is fixed, and those of others stay', async () => {
    const caller = await newCaller();
    const [flowid, broken] = [unique('flow'), unique('flow')];
    const ids = [await early(caller, flowid), await early(caller, flowid)];
    const other = await early(caller, broken);
    await idle();
    await promoted(caller, await newRow(caller, { flowid, flow: flow() }));
    expect((await redrive(caller, { flowid })).body).toEqual({ done: 2 });
    await idle();
    for (const id of ids) expect(await readStatus(caller, id)).toBe('completed');
    expect(await readStatus(caller, other)).toBe('failed');
    expect((await redrive(caller, { flowid })).body).toEqual({ done: 0 });
  });

  test('an event that fails again can be redriven again', async () => {
    const caller = await newCaller();
    const flowid = unique('flow');
    await early(caller, flowid);
    for (let n = 0; n < 2; n += 1) {
      await idle();
      expect((await redrive(caller, { flowid })).body).toEqual({ done: 1 });
    }
  });

  test('those of another organisation with a workspace of the same id stay', async () => {
    const caller = await newCaller();
    const flowid = unique('flow');
    await early(caller, flowid);
    await idle();
    const stranger = await newCaller({ workspaces: [caller.workspaceid] });
    expect((await redrive({ ...caller, key: stranger.key }, { flowid })).body).toEqual({ done: 0 });
  });
});

describe('400', () => {
  test('a body without a filter is refused', async () => {
    const { problem } = await redrive(await newCaller(), {});
    expect(problem.errors).toEqual([
      { pointer: '/body/reason', detail: 'must be given, unless `flowid` or `before` is' },
    ]);
  });
});

describe('403', () => {
  test('a key without the permission to run', async () => {
    const caller = await newCaller({ scopes: ['assistants.flows:read'] });
    expect((await redrive(caller, { flowid: 'x' })).problem.detail).toContain('assistants.flows:run');
  });
});
