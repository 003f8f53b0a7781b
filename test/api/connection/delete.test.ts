import { describe, expect, test } from 'vitest';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { bearer, listConnections, putConnection } from '#test/support/connections.ts';

const remove = async ({ key, workspaceid }: TestCaller, name: string, query = {}) =>
  await call('deleteConnection', { key, params: { name }, query: { workspaceid, ...query } });

describe('204', () => {
  test('deletes the connection, and keeps the one of the other scope', async () => {
    const caller = await newCaller();
    await putConnection(caller, 'crm', bearer());
    await putConnection(caller, 'crm', bearer('mine', { scope: 'user' }));
    expect((await remove(caller, 'crm')).status).toBe(204);
    expect(await listConnections(caller)).toEqual([expect.objectContaining({ scope: 'user' })]);
    expect((await remove(caller, 'crm', { scope: 'user' })).status).toBe(204);
    expect(await listConnections(caller)).toEqual([]);
  });
});

describe('403', () => {
  test('a key for another workspace', async () => {
    const caller = await newCaller({ workspaces: ['ws_a'] });
    const { problem } = await remove({ ...caller, workspaceid: 'ws_b' }, 'crm');
    expect(problem.code).toBe('permission_denied');
  });
});

describe('404', () => {
  test('a missing connection and one of another caller give the same error, and nothing is deleted', async () => {
    const caller = await newCaller();
    const { orgid, workspaceid } = caller;
    await putConnection(caller, 'crm', bearer('mine', { scope: 'user' }));
    const colleague = { ...(await newCaller({ orgid })), workspaceid };
    const stranger = { ...(await newCaller()), workspaceid };
    const answers = [
      await remove(caller, 'erp', { scope: 'user' }),
      await remove(colleague, 'crm', { scope: 'user' }),
      await remove(stranger, 'crm', { scope: 'user' }),
    ];
    for (const { problem } of answers) expect(problem.code).toBe('connection_not_found');
    expect(await listConnections(caller)).toHaveLength(1);
  });
});
