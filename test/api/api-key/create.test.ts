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
  test('the key works at once, for its permissions and workspaces only', async () => {
    const caller = await newCaller();
    const { body, headers } = await create(caller, { workspaces: [caller.workspaceid] });
    expect(headers.get('location')).toBe(`/api/v1/api-keys/${body.keyid}`);
    expect((await list(body.token, caller.workspaceid)).status).toBe(200);
    expect((await list(body.token, unique('ws'))).problem.code).toBe('permission_denied');
    expect((await call('listApiKeys', { key: body.token })).problem.detail).toContain('apikeys:read');
  });

  test('the response describes the key, and the claims of the token are the same', async () => {
    const caller = await newCaller();
    const { body } = await create(caller, { scopes: ['audit:read', 'audit:read'], expires_in_days: 7 });
    expect(body).toEqual({
      keyid: expect.stringMatching(/^key_[0-9A-Z]{26}$/),
      orgid: caller.orgid,
      label: 'CI pipeline',
      scopes: ['audit:read'],
      workspaces: '*',
      created_by: caller.id,
      root: caller.id,
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

  test('it expires after 90 days by default, or at the requested time', async () => {
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

  test('the default expiry is limited to that of the creator, with a warning', async () => {
    const caller = await newCaller({ scopes: ['apikeys:create', 'audit:read'], lifetimeSeconds: 600 });
    const { exp: end = 0 } = decodeJwt(caller.key);
    const { body } = await create(caller, { scopes: ['audit:read'] });
    expect(decodeJwt(body.token).exp).toBe(end);
    expect(body.expires_at).toBe(new Date(end * 1000).toISOString());
    expect(body.warnings).toEqual([
      {
        pointer: '/body/expires_at',
        code: 'ends_with_creator',
        detail: expect.stringContaining('apikeys:extend'),
      },
    ]);
  });

  test('keys created by a key expire no later than the first of the chain', async () => {
    const scopes = ['apikeys:create'];
    const first = await newCaller({ scopes: ['apikeys:create'], lifetimeSeconds: 600 });
    const second = (await create(first, { scopes })).body;
    const third = (await create({ ...first, key: second.token }, { scopes })).body;
    expect(third.expires_at).toBe(new Date((decodeJwt(first.key).exp ?? 0) * 1000).toISOString());
  });

  test('an expiry before that of the creator is accepted', async () => {
    const caller = await newCaller({ scopes: ['apikeys:create', 'audit:read'], lifetimeSeconds: 600 });
    const expires_at = new Date(Math.floor(Date.now() / 1000) * 1000 + 60_000).toISOString();
    const { body } = await create(caller, { scopes: ['audit:read'], expires_at });
    expect(body.expires_at).toBe(expires_at);
    expect(body).not.toHaveProperty('warnings');
  });

  test('a creator with apikeys:extend creates keys that expire later than itself', async () => {
    const caller = await newCaller({ scopes: ['apikeys:create', 'apikeys:extend'], lifetimeSeconds: 600 });
    const { body } = await create(caller, { scopes: ['apikeys:create'], expires_in_days: 365 });
    expect(body.warnings).toBeUndefined();
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBeGreaterThan(364 * day);
  });

  test('a key may pass on all of its permissions', async () => {
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
  ])('the error points to %s: %j', async (pointer, some) => {
    const { problem } = await create(await newCaller(), some);
    expect(problem.errors?.map((error) => error.pointer)).toEqual([pointer]);
  });
});

describe('403', () => {
  test('a key may not grant what it lacks, and the error lists the excess', async () => {
    const scopes = ['apikeys:create', 'assistants.flows:read'] as const;
    const caller = await newCaller({ scopes, workspaces: ['ws_a', 'ws_b'] });
    const { problem } = await create(caller, {
      scopes: ['assistants.flows:read', 'assistants.flows:delete', 'apikeys:delete'],
      workspaces: ['ws_b', 'ws_c'],
    });
    expect(problem.code).toBe('permission_denied');
    expect(problem.detail).toMatch(/lack: assistants\.flows:delete, apikeys:delete, workspace ws_c\.$/);
  });

  test.each([
    ['expires_in_days', () => ({ expires_in_days: 1 })],
    ['expires_at', () => ({ expires_at: new Date(Date.now() + day).toISOString() })],
  ])('a key is refused a later expiry than its own, in %s', async (member, later) => {
    const caller = await newCaller({ scopes: ['apikeys:create', 'audit:read'], lifetimeSeconds: 600 });
    const { problem } = await create(caller, { scopes: ['audit:read'], ...later() });
    expect(problem.code).toBe('permission_denied');
    expect(problem.detail).toContain(`\`${member}\``);
    expect(problem.detail).toMatch(/lack: apikeys:extend\.$/);
  });

  test('a key for some workspaces may not create one for all', async () => {
    const { problem } = await create(await newCaller({ workspaces: ['ws_a'] }));
    expect(problem.detail).toContain('workspace *');
  });
});
