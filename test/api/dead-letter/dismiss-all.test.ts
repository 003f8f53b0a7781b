import { describe, expect, test } from 'vitest';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { deliver, webhookMessage } from '#test/support/runs.ts';

async function newLetter(caller: TestCaller, flowid = unique('flow')): Promise<string> {
  const message = webhookMessage({ ...caller, flowid, a2aregistryid: '' });
  await deliver(JSON.stringify(message));
  return message.triggerId;
}
const dismiss = (caller: Pick<TestCaller, 'key' | 'workspaceid'>, body: object) =>
  call('dismissDeadLetters', { key: caller.key, query: { workspaceid: caller.workspaceid }, body });
const listed = async ({ key, workspaceid }: TestCaller) =>
  (await call('listDeadLetters', { key, query: { workspaceid } })).body.items;

describe('200', () => {
  test('only those that pass every member of the filter are dismissed', async () => {
    const caller = await newCaller();
    const flowid = unique('flow');
    const [one, other] = [await newLetter(caller, flowid), await newLetter(caller)];
    await idle();
    const reason = (await listed(caller)).find(({ id }) => id === one)?.reason ?? '';
    const before = '2020-01-01T00:00:00Z';
    expect((await dismiss(caller, { flowid, before })).body).toEqual({ done: 0 });
    expect((await dismiss(caller, { flowid, reason: 'another' })).body).toEqual({ done: 0 });
    expect((await dismiss(caller, { flowid, reason })).body).toEqual({ done: 1 });
    expect((await listed(caller)).map(({ id }) => id)).toEqual([other]);
    expect((await dismiss(caller, { flowid, reason })).body).toEqual({ done: 0 });
  });

  test('more than a request looks at are dismissed by the next one', async () => {
    const caller = await newCaller();
    const flowid = unique('flow');
    for (let n = 0; n < 26; n += 1) await newLetter(caller, flowid);
    await idle();
    const first = (await dismiss(caller, { flowid })).body;
    expect(first).toEqual({ done: 25, next: expect.any(String) });
    expect((await dismiss(caller, { flowid, after: first.next })).body).toEqual({ done: 1 });
    expect(await listed(caller)).toEqual([]);
  });

  test('those of another organisation with a workspace of the same id stay', async () => {
    const caller = await newCaller();
    const flowid = unique('flow');
    await newLetter(caller, flowid);
    await idle();
    const stranger = await newCaller({ workspaces: [caller.workspaceid] });
    expect((await dismiss({ ...caller, key: stranger.key }, { flowid })).body).toEqual({ done: 0 });
    expect(await listed(caller)).toHaveLength(1);
  });
});

describe('400', () => {
  test.each([
    ['/body/reason', {}],
    ['/body/reason', { after: '0193a5c0-7c1e-7e3b-9b5e-2f6d8c4a1b3e' }],
    ['/body/before', { before: 'yesterday' }],
    ['/body/flowid', { flowid: '' }],
  ])('a mistake at %s is reported', async (pointer, body) => {
    const { problem } = await dismiss(await newCaller(), body);
    expect(problem.errors?.map((mistake) => mistake.pointer)).toEqual([pointer]);
  });
});

describe('403', () => {
  test('a key without the permission to delete', async () => {
    const caller = await newCaller({ scopes: ['assistants.flows:run', 'assistants.flows:read'] });
    expect((await dismiss(caller, { flowid: 'x' })).problem.detail).toContain('assistants.flows:delete');
  });
});
