import { describe, expect, test } from 'vitest';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { inEffectWithin } from '#test/support/takes-effect.ts';

const create = async (caller: TestCaller, workspaces: '*' | string[] = '*') => {
  const body = { label: 'One', scopes: ['assistants.flows:read'], workspaces };
  return (await call('createApiKey', { key: caller.key, body })).body;
};
const revoke = async (caller: TestCaller, keyid: string) =>
  await call('revokeApiKey', { key: caller.key, params: { keyid } });
const use = async (key: string) => await call('listRegistryRows', { key, query: { workspaceid: 'ws_a' } });

describe('204', () => {
  test('a revoked key is refused like any invalid key, in both headers', async () => {
    const caller = await newCaller();
    const { keyid, token } = await create(caller);
    expect((await use(token)).status).toBe(200);
    await revoke(caller, keyid);
    await inEffectWithin(60);
    const { problem } = await use(token);
    const { problem: bad } = await use('bad');
    expect({ ...problem, instance: '' }).toEqual({ ...bad, instance: '' });
    const bearer = await call('listRegistryRows', {
      query: { workspaceid: 'ws_a' },
      headers: { authorization: `Bearer ${token}` },
    });
    expect(bearer.problem).toMatchObject({ status: 401, code: 'unauthenticated' });
  });

  test('the key stays in the list, with the time of its first revocation', async () => {
    const caller = await newCaller();
    const { keyid } = await create(caller);
    await revoke(caller, keyid);
    const first = (await call('listApiKeys', { key: caller.key })).body.items;
    expect(first).toEqual([expect.objectContaining({ keyid, revoked_at: expect.any(String) })]);
    expect((await revoke(caller, keyid)).status).toBe(204);
    expect((await call('listApiKeys', { key: caller.key })).body.items).toEqual(first);
  });

  test('a key may revoke itself', async () => {
    const caller = await newCaller();
    const body = { label: 'One', scopes: ['apikeys:delete'], workspaces: '*' };
    const { keyid, token } = (await call('createApiKey', { key: caller.key, body })).body;
    expect((await revoke({ ...caller, key: token }, keyid)).status).toBe(204);
    expect((await revoke({ ...caller, key: token }, keyid)).problem.status).toBe(401);
  });
});

describe('404', () => {
  test('a missing key, one of another organisation and one for more workspaces give the same error and are not revoked', async () => {
    const owner = await newCaller();
    const { keyid, token } = await create(owner);
    const guest = await newCaller({ orgid: owner.orgid, workspaces: ['ws_a'] });
    const missing = 'key_01JD2Q3V5W7X9Y1Z3A5B7C9D1E';
    const answers = [
      await revoke(owner, missing),
      await revoke(await newCaller(), keyid),
      await revoke(guest, keyid),
    ];
    for (const [n, { problem }] of answers.entries()) {
      expect(problem.code).toBe('api_key_not_found');
      expect(problem.detail).toBe(`There is no API key ${n === 0 ? missing : keyid}.`);
    }
    expect((await use(token)).status).toBe(200);
  });

  test('a key that was issued offline is not found', async () => {
    const caller = await newCaller();
    expect((await revoke(caller, caller.id)).problem.code).toBe('api_key_not_found');
  });
});
