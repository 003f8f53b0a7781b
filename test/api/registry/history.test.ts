import { describe, expect, test } from 'vitest';
import { newRegistryId } from '#lib/ids.ts';
import { card, createBody, flow, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';

const readHistory = async (
  { key }: TestCaller,
  { a2aregistryid }: { readonly a2aregistryid: string },
  query: Readonly<Record<string, string>> = {},
) => await call('getRegistryRowHistory', { key, params: { a2aregistryid }, query });

const updated = async ({ key }: TestCaller, { a2aregistryid }: { a2aregistryid: string }, body: object) =>
  await call('updateRegistryRow', {
    key,
    params: { a2aregistryid },
    body: { agent_card: card(), ...body },
  });

describe('200', () => {
  test('lists every change, newest first, with actor, time, action, old and new state', async () => {
    const caller = await newCaller();
    const second = await newCaller({ orgid: caller.orgid });
    const flowid = unique('flow');
    const row = await newRow(caller, { flowid });
    const other = await newRow(caller, { flowid });
    await updated(second, row, { visibility: 'public' });
    await promoted(caller, row);
    await promoted(second, other);
    const { items } = (await readHistory(caller, row)).body;
    expect(items).toMatchObject([
      {
        version: 4,
        action: 'demoted',
        by: second.id,
        from: 'live',
        to: 'test',
        successor: other.a2aregistryid,
      },
      { version: 3, action: 'promoted', by: caller.id, from: 'test', to: 'live' },
      { version: 2, action: 'updated', by: second.id, from: 'test', to: 'test', changed: ['visibility'] },
      { version: 1, action: 'created', by: caller.id, to: 'test' },
    ]);
    expect(items[3]?.at).toBe(row.created_at);
    expect((await readHistory(caller, other)).body.items[0]).toMatchObject({
      action: 'promoted',
      demoted: row.a2aregistryid,
    });
  });

  test('a promotion has the same request id in the histories of both rows', async () => {
    const caller = await newCaller();
    const flowid = unique('flow');
    const row = await promoted(caller, await newRow(caller, { flowid }));
    const next = await newRow(caller, { flowid });
    const answer = await call('promoteRegistryRow', {
      key: caller.key,
      params: { a2aregistryid: next.a2aregistryid },
    });
    const requestId = answer.headers.get('x-request-id');
    for (const each of [row, next])
      expect((await readHistory(caller, each)).body.items[0]?.request_id).toBe(requestId);
  });

  test('registration and update have the id of their request', async () => {
    const caller = await newCaller();
    const { key, workspaceid } = caller;
    const creation = await call('createRegistryRow', { key, query: { workspaceid }, body: createBody() });
    const update = await updated(caller, creation.body, {});
    const { items } = (await readHistory(caller, creation.body)).body;
    const sent = [update, creation].map(({ headers }) => headers.get('x-request-id'));
    expect(items.map(({ request_id }) => request_id)).toEqual(sent);
  });

  test('an update lists the names of the members that differ, and no values', async () => {
    const caller = await newCaller();
    const row = await newRow(caller, { env_variable: { REGION: 'eu-hidden' } });
    const changed = async (body: object) => {
      await updated(caller, row, body);
      return (await readHistory(caller, row, { limit: '1' })).body.items[0]?.changed;
    };
    expect(await changed({ env_variable: { REGION: 'eu-hidden' } })).toEqual([]);
    expect(await changed({ agent_card: card({ name: 'Other' }), flow_version: '2', label: 'x' })).toEqual([
      'agent_card',
      'flow_version',
      'label',
      'env_variable',
    ]);
    const rest = { flow: flow(), tool_config: { a: 1 }, visibility: 'public', flow_version: '2', label: 'x' };
    expect(await changed({ agent_card: card({ name: 'Other' }), ...rest })).toEqual([
      'flow',
      'visibility',
      'tool_config',
    ]);
    expect((await readHistory(caller, row)).text).not.toContain('eu-hidden');
  });

  test('pages follow each other without a gap, also while the row changes', async () => {
    const caller = await newCaller();
    const row = await newRow(caller);
    for (let n = 0; n < 4; n += 1) await updated(caller, row, {});
    const first = await readHistory(caller, row, { limit: '2' });
    expect(first.body.items.map(({ version }) => version)).toEqual([5, 4]);
    expect(first.headers.get('link')).toBe(`<?limit=2&cursor=${first.body.nextCursor}>; rel="next"`);
    await updated(caller, row, {});
    const second = await readHistory(caller, row, { limit: '2', cursor: first.body.nextCursor ?? '' });
    expect(second.body.items.map(({ version }) => version)).toEqual([3, 2]);
    const third = await readHistory(caller, row, { limit: '2', cursor: second.body.nextCursor ?? '' });
    expect(third.body).toMatchObject({ items: [{ version: 1 }] });
    expect(third.body.nextCursor).toBeUndefined();
    expect(third.headers.get('link')).toBeNull();
  });
});

describe('400', () => {
  test.each([
    ['limit', '0'],
    ['limit', '201'],
    ['cursor', 'nonsense'],
  ])('%s=%s is reported', async (name, value) => {
    const caller = await newCaller();
    const { problem } = await readHistory(caller, await newRow(caller), { [name]: value });
    expect(problem).toMatchObject({ code: 'validation_failed', errors: [{ pointer: `/query/${name}` }] });
  });

  test('a cursor of the history of another row is refused', async () => {
    const caller = await newCaller();
    const [row, other] = [await newRow(caller), await newRow(caller)];
    await updated(caller, row, {});
    const { nextCursor = '' } = (await readHistory(caller, row, { limit: '1' })).body;
    expect((await readHistory(caller, other, { cursor: nextCursor })).problem.code).toBe('validation_failed');
  });
});

describe('403', () => {
  test('a key without the permission to read gets its name', async () => {
    const caller = await newCaller({ scopes: ['assistants.flows:update'] });
    const { problem } = await readHistory(caller, { a2aregistryid: newRegistryId() });
    expect(problem.code).toBe('permission_denied');
    expect(problem.detail).toContain('assistants.flows:read');
  });
});

describe('404', () => {
  test('missing and deleted rows, and rows of another organisation or workspace, give the same error', async () => {
    const caller = await newCaller();
    const row = await newRow(caller);
    const elsewhere = await newCaller({ orgid: caller.orgid, workspaces: [unique('ws')] });
    const deleted = await newRow(caller);
    await call('deleteRegistryRow', { key: caller.key, params: { a2aregistryid: deleted.a2aregistryid } });
    const refusals = [
      await readHistory(caller, { a2aregistryid: newRegistryId() }),
      await readHistory(await newCaller(), row),
      await readHistory(elsewhere, row),
      await readHistory(caller, deleted),
    ];
    for (const { problem } of refusals) expect(problem.code).toBe('row_not_found');
  });
});
