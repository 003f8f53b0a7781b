import { describe, expect, test } from 'vitest';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { bearer, listConnections, putConnection } from '#test/support/connections.ts';

describe('200', () => {
  test('the list of a workspace without connections is empty', async () => {
    expect(await listConnections(await newCaller())).toEqual([]);
  });

  test('shows the connections of the workspace by name, and those of the caller', async () => {
    const caller = await newCaller();
    for (const name of ['mail', 'crm']) await putConnection(caller, name, bearer());
    await putConnection(caller, 'drive', bearer('mine', { scope: 'user' }));
    const names = (await listConnections(caller)).map(({ name, scope }) => `${scope} ${name}`);
    expect(names).toEqual(['organization crm', 'organization mail', 'user drive']);
  });

  test('does not show those of other callers, workspaces and organisations', async () => {
    const caller = await newCaller();
    const { orgid, workspaceid } = caller;
    await putConnection(caller, 'drive', bearer('mine', { scope: 'user' }));
    await putConnection({ ...caller, workspaceid: 'ws_other' }, 'mail', bearer());
    const colleague = { ...(await newCaller({ orgid })), workspaceid };
    const stranger = { ...(await newCaller()), workspaceid };
    expect(await listConnections(colleague)).toEqual([]);
    expect(await listConnections(stranger)).toEqual([]);
  });
});

describe('403', () => {
  test('a workspace that the key is not for', async () => {
    const { key } = await newCaller({ workspaces: ['ws_a'] });
    const { problem } = await call('listConnections', { key, query: { workspaceid: 'ws_b' } });
    expect(problem.code).toBe('permission_denied');
  });
});
