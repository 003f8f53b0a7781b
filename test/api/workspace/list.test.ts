// Which workspaces a caller sees.
import { expect, test } from 'vitest';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { newPerson } from '#test/support/person.ts';

const name = async (key: string, workspaceid: string) =>
  await call('createWorkspace', { key, body: { workspaceid, name: `The name of ${workspaceid}` } });

async function listAll(key: string, limit: string) {
  const ids: string[] = [];
  for (let cursor: string | undefined, n = 0; n === 0 || cursor !== undefined; n += 1) {
    const query = { limit, ...(cursor !== undefined && { cursor }) };
    const { items, nextCursor } = (await call('listWorkspaces', { key, query })).body;
    ids.push(...items.map(({ workspaceid }) => workspaceid));
    cursor = nextCursor;
  }
  return ids;
}

test('200: credentials for all workspaces list those of their organisation that have a name, in pages', async () => {
  const { key } = await newCaller();
  expect((await call('listWorkspaces', { key })).body).toEqual({ items: [] });
  const ids = [unique('ws'), unique('ws'), unique('ws')].sort();
  for (const id of ids) await name(key, id);
  await name((await newCaller()).key, unique('ws'));
  expect(await listAll(key, '2')).toEqual(ids);
  expect(await listAll(key, '200')).toEqual(ids);
});

test('200: others list the workspaces that they are for, with and without a name, and need no permission', async () => {
  const [orgid, named, used] = [unique('org'), unique('ws_a'), unique('ws_b')];
  const owner = await newCaller({ orgid });
  for (const id of [named, unique('ws')]) await name(owner.key, id);
  const { key } = await newCaller({ orgid, workspaces: [used, named], scopes: [] });
  const { items } = (await call('listWorkspaces', { key })).body;
  expect(items).toEqual([
    expect.objectContaining({ workspaceid: named, name: `The name of ${named}` }),
    { workspaceid: used, orgid },
  ]);
  expect(await listAll(key, '1')).toEqual([named, used]);
  const { page } = await newPerson({ orgid, roles: { [named]: 'caller' } });
  const seen = (await call('listWorkspaces', { headers: page })).body.items;
  expect(seen.map(({ workspaceid }) => workspaceid)).toEqual([named]);
});
