import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { permissions } from '#lib/access/permission.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';

const day = 86_400_000;
const wanted = (some: object = {}) => ({
  label: 'CI pipeline',
  scopes: ['assistants.flows:read'],
  workspaces: '*',
  ...some,
});
const create = async (caller: TestCaller, some: object = {}) =>
  await call('createApiKey', { key: caller.key, body: wanted(some) });
const list = async (key: string, workspaceid: string) =>
  await call('listRegistryRows', { key, query: { workspaceid } });

describe('201', () => {
  test('the key works at once, for what it is for and for nothing else', async () => {
    const caller = await newCaller();
    const { body, headers } = await create(caller, { workspaces: [caller.workspaceid] });
    expect(headers.get('location')).toBe(`/api/v1/api-keys/${body.keyid}`);
    expect((await list(body.token, caller.workspaceid)).status).toBe(200);
    expect((await list(body.token, unique('ws'))).problem.code).toBe('permission_denied');
    expect((await call('listApiKeys', { key: body.token })).problem.detail).toContain('apikeys:read');
  });

  test('the answer says all about the key, and the token says the same', async () => {
    const caller = await newCaller();
    const { body } = await create(caller, { scopes: ['audit:read', 'audit:read'], expires_in_days: 7 });
    expect(body).toEqual({
      keyid: expect.stringMatching(/^key_[0-9A-Z]{26}$/),
      orgid: caller.orgid,
      label: 'CI pipeline',
      scopes: ['audit:read'],
      workspaces: '*',
      created_by: caller.id,
      created_at: expect.any(String),
      expires_at: expect.any(String),
      token: expect.any(String),
    });
    const { payload } = await jwtVerify(body.token, createLocalJWKSet((await call('getJwks')).body));
    expect(payload).toMatchObject({
      sub: body.keyid,
      org: caller.orgid,
      ws: '*',
      scope: 'audit:read',
      reg: true,
    });
    expect(new Date((payload.exp ?? 0) * 1000).toISOString()).toBe(body.expires_at);
  });

  test('it lives 90 days unless told, or until the time that was asked for', async () => {
    const caller = await newCaller();
    const lifetime = (token: string) => {
      const { exp = 0, iat = 0 } = decodeJwt(token);
      return (exp - iat) / 86_400;
    };
    expect(lifetime((await create(caller)).body.token)).toBe(90);
    expect(lifetime((await create(caller, { expires_in_days: 365 })).body.token)).toBe(365);
    const expires_at = new Date(Math.floor(Date.now() / 1000) * 1000 + 3 * day).toISOString();
    expect((await create(caller, { expires_at })).body.expires_at).toBe(expires_at);
  });

  test('a key may pass on all that it may do itself', async () => {
    const caller = await newCaller();
    expect((await create(caller, { scopes: [...permissions] })).body.scopes).toEqual(permissions);
  });
});

describe('400', () => {
  test.each<[string, object]>([
    ['/body/label', { label: '' }],
    ['/body/label', { label: '   ' }],
    ['/body/label', { label: 'a\u202Eb' }],
    ['/body/label', { label: 'a\nb' }],
    ['/body/label', { label: 'x'.repeat(101) }],
    ['/body/scopes', { scopes: [] }],
    ['/body/scopes/0', { scopes: ['assistants.flows:*'] }],
    ['/body/workspaces', { workspaces: [] }],
    ['/body/workspaces/0', { workspaces: ['a#b'] }],
    ['/body/workspaces', { workspaces: Array.from({ length: 51 }, (_, n) => `ws_${n}`) }],
    ['/body/expires_in_days', { expires_in_days: 366 }],
    ['/body/expires_in_days', { expires_in_days: 0 }],
    ['/body/expires_at', { expires_at: 'tomorrow' }],
    ['/body/expires_at', { expires_at: new Date(Date.now() - day).toISOString() }],
    ['/body/expires_at', { expires_at: new Date(Date.now() + 366 * day).toISOString() }],
    ['/body/expires_at', { expires_in_days: 1, expires_at: new Date(Date.now() + day).toISOString() }],
    ['/body/orgid', { orgid: 'org_other' }],
  ])('%s is named: %j', async (pointer, some) => {
    const { problem } = await create(await newCaller(), some);
    expect(problem.errors?.map((error) => error.pointer)).toEqual([pointer]);
  });
});

describe('403', () => {
  test('a key may not give what it has not, and the answer names the excess', async () => {
    const scopes = ['apikeys:create', 'assistants.flows:read'] as const;
    const caller = await newCaller({ scopes, workspaces: ['ws_a', 'ws_b'] });
    const { problem } = await create(caller, {
      scopes: ['assistants.flows:read', 'assistants.flows:delete', 'apikeys:delete'],
      workspaces: ['ws_b', 'ws_c'],
    });
    expect(problem.code).toBe('permission_denied');
    expect(problem.detail).toMatch(/lack: assistants\.flows:delete, apikeys:delete, workspace ws_c\.$/);
  });

  test('a key for some workspaces may not make one for all', async () => {
    const { problem } = await create(await newCaller({ workspaces: ['ws_a'] }));
    expect(problem.detail).toContain('workspace *');
  });
});
