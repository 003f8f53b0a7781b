// Who the caller is, and what a session may do in the place of a key.
import { describe, expect, test } from 'vitest';
import { memberItemKey } from '#lib/access/member-items.ts';
import { permissions } from '#lib/access/permission.ts';
import { type Role, rolePermissions, roles } from '#lib/access/role.ts';
import { hashSession, sessionItemKey } from '#lib/access/session-items.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import { mustExist } from '#lib/dynamo/conditions.ts';
import { deleteItemIf, updateItem } from '#lib/dynamo/items.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { Browser, invite, newPerson, type Person, sessionCookie, signIn } from '#test/support/person.ts';

const hourMs = 3_600_000;
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
const setSession = async ({ sessionid }: Pick<Person, 'sessionid'>, name: string, value: string) => {
  await updateItem(controlTable, sessionItemKey(sessionid), {
    UpdateExpression: 'SET #name = :value',
    ExpressionAttributeNames: { '#name': name },
    ExpressionAttributeValues: { ':value': value },
  });
};
/** A person whose session no process has seen: the invitation is of this test, the request the first one. */
const unseenPerson = async () => {
  const { email, orgid } = await invite();
  const browser = new Browser();
  await signIn(browser, email);
  const token = browser.cookie(sessionCookie) ?? '';
  return { email, orgid, sessionid: hashSession(token), page: { cookie: `${sessionCookie}=${token}` } };
};
const codeOf = async (headers: Record<string, string>) => (await call('getMe', { headers })).problem.code;

const sorted = (role: Role) => permissions.filter((permission) => rolePermissions[role].includes(permission));

describe('200', () => {
  test('describes an API key, with its end', async () => {
    const { key, id, orgid } = await newCaller({ scopes: ['audit:read'], workspaces: ['ws_a'] });
    expect((await call('getMe', { key })).body).toEqual({
      kind: 'api_key',
      id,
      orgid,
      workspaces: ['ws_a'],
      workspace_names: {},
      permissions: ['audit:read'],
      expires_at: expect.any(String),
    });
  });

  test('describes a key that another has made, with the root of the chain', async () => {
    const { key, id } = await newCaller();
    const body = { label: 'One', scopes: [...permissions], workspaces: '*' };
    const one = (await call('createApiKey', { key, body })).body;
    const two = (await call('createApiKey', { key: one.token, body })).body;
    expect((await call('getMe', { key: two.token })).body).toMatchObject({ id: two.keyid, root: id });
    expect(two).toMatchObject({ created_by: one.keyid, root: id });
  });

  test.each(roles)('describes a user in the role %s', async (role) => {
    const { page, email, orgid, id } = await newPerson({ role, workspaces: ['ws_a', 'ws_b'] });
    expect((await call('getMe', { headers: page })).body).toEqual({
      kind: 'user',
      id: expect.stringMatching(/^user_[\w-]{43}$/),
      name: email.split('@')[0],
      email,
      roles: { ws_a: role, ws_b: role },
      orgid,
      workspaces: ['ws_a', 'ws_b'],
      workspace_names: {},
      permissions: sorted(role),
      organizations: [{ orgid, roles: { ws_a: role, ws_b: role } }],
      sign_out_url: expect.stringMatching(/^http.*\/auth\/logout$/),
    });
    expect(id).toMatch(/^user_/);
  });

  test('names the workspaces of the caller, and says what it may do in each where that differs', async () => {
    const orgid = unique('org');
    const owner = await newCaller({ orgid });
    const [built, viewed, other] = [unique('ws'), unique('ws'), unique('ws')];
    for (const workspaceid of [built, other])
      await call('createWorkspace', {
        key: owner.key,
        body: { workspaceid, name: `Name of ${workspaceid}` },
      });
    const { page } = await newPerson({ orgid, roles: { [built]: 'builder', [viewed]: 'viewer' } });
    const inEach = { [built]: sorted('builder'), [viewed]: sorted('viewer') };
    expect((await call('getMe', { headers: page })).body).toMatchObject({
      workspaces: [built, viewed].sort(),
      workspace_names: { [built]: `Name of ${built}` },
      permissions: sorted('builder'),
      workspace_permissions: inEach,
    });
    const all = (await call('getMe', { key: owner.key })).body;
    expect(Object.keys(all.workspace_names).sort()).toEqual([built, other].sort());
    expect(all.workspace_permissions).toBeUndefined();
  });

  test('a session is open for eight hours after its last use', async () => {
    const person = await unseenPerson();
    await setSession(person, 'last_used_at', ago(8 * hourMs - 60_000));
    expect((await call('getMe', { headers: person.page })).status).toBe(200);
    // Its use was recorded.
    const [session] = (await call('listSessions', { headers: person.page })).body.items;
    expect(Date.parse(session?.last_used_at ?? '')).toBeGreaterThan(Date.now() - hourMs);
  });

  test('a safe method needs no header beside the cookie', async () => {
    const { page } = await newPerson();
    expect((await call('getMe', { headers: { cookie: page.cookie ?? '' } })).status).toBe(200);
  });

  test('other cookies are no credentials', async () => {
    const { key } = await newCaller();
    expect(
      (await call('getMe', { key, headers: { cookie: 'theme=dark; xagent-flow-session=1' } })).status,
    ).toBe(200);
  });
});

describe('401', () => {
  test.each<[string, string, () => string]>([
    ['was not used for eight hours', 'last_used_at', () => ago(8 * hourMs + 1_000)],
    ['began 24 hours ago', 'expires_at', () => ago(1_000)],
  ])('a session that %s has ended, also while its item is still there', async (_what, name, value) => {
    const person = await unseenPerson();
    await setSession(person, name, value());
    expect(await codeOf(person.page)).toBe('unauthenticated');
  });

  test('a session of somebody who is no member any more has ended', async () => {
    const person = await unseenPerson();
    const other = await newPerson({ email: person.email, orgid: person.orgid });
    await deleteItemIf(controlTable, memberItemKey({ userid: other.id, orgid: person.orgid }), mustExist);
    expect(await codeOf(person.page)).toBe('unauthenticated');
  });

  test.each<[string, (cookie: string) => string]>([
    ['no session has', () => `${sessionCookie}=${'A'.repeat(43)}`],
    ['is empty', () => `${sessionCookie}=`],
    ['is too long', (cookie) => `${cookie}A`],
    [
      'names the stored id',
      (cookie) => `${sessionCookie}=${hashSession(cookie.split('=')[1] ?? '').slice(4)}`,
    ],
    ['is sent twice', (cookie) => `${cookie}; ${cookie}`],
    ['stands beside another session', (cookie) => `${cookie}; ${sessionCookie}=${'A'.repeat(43)}`],
  ])('a cookie that %s is refused', async (_what, change) => {
    const { page } = await newPerson();
    expect(await codeOf({ cookie: change(page.cookie ?? '') })).toBe('unauthenticated');
  });

  test('a session and a key are different principals', async () => {
    const { page, orgid } = await newPerson();
    const { key } = await newCaller({ orgid });
    const cookie = page.cookie ?? '';
    for (const credential of [{ 'x-api-key': key }, { authorization: `Bearer ${key}` }])
      expect(await codeOf({ cookie, ...credential })).toBe('unauthenticated');
    const own = await call('createApiKey', {
      headers: page,
      body: { label: 'One', scopes: ['audit:read'], workspaces: '*' },
    });
    expect(await codeOf({ cookie, 'x-api-key': own.body.token })).toBe('unauthenticated');
  });

  test('a session is no better beside something that is no credential', async () => {
    const { page } = await newPerson();
    const cookie = page.cookie ?? '';
    for (const other of [
      { authorization: 'Basic YTpi' },
      { 'x-api-key': 'nonsense' },
      { authorization: 'Bearer' },
    ])
      expect(await codeOf({ cookie, ...other })).toBe('unauthenticated');
  });
});

describe('what belongs to a user', () => {
  const keyOf = async (
    person: Person,
    scopes: readonly string[] = ['assistants.flows:read', 'apikeys:create'],
  ) =>
    (
      await call('createApiKey', {
        headers: person.page,
        body: { label: 'One', scopes, workspaces: '*' },
      })
    ).body;

  test('a key of a user names the user as its root, lives 90 days, and ends with the membership', async () => {
    const person = await newPerson();
    const key = await keyOf(person);
    expect(key).toMatchObject({ created_by: person.id, root: person.id });
    expect(key.warnings).toBeUndefined();
    const next = await call('createApiKey', {
      key: key.token,
      body: { label: 'Two', scopes: ['assistants.flows:read'], workspaces: '*' },
    });
    expect(next.body.root).toBe(person.id);
    await deleteItemIf(controlTable, memberItemKey({ userid: person.id, orgid: person.orgid }), mustExist);
    expect((await call('getMe', { key: next.body.token })).problem.code).toBe('unauthenticated');
  });

  test('a key of a user may do no more than the user may now', async () => {
    const person = await newPerson();
    const key = await keyOf(person, ['assistants.flows:read', 'audit:read']);
    await updateItem(controlTable, memberItemKey({ userid: person.id, orgid: person.orgid }), {
      UpdateExpression: 'SET #roles = :roles',
      ExpressionAttributeNames: { '#roles': 'roles' },
      ExpressionAttributeValues: { ':roles': { ws_a: 'viewer' } },
    });
    expect((await call('getMe', { key: key.token })).body).toMatchObject({
      permissions: ['assistants.flows:read'],
      workspaces: ['ws_a'],
    });
  });

  test('a user cannot give a key more than their role has', async () => {
    const { page } = await newPerson({ role: 'builder' });
    const body = { label: 'One', scopes: ['audit:read'], workspaces: '*' };
    expect((await call('createApiKey', { headers: page, body })).problem.code).toBe('permission_denied');
  });

  test('a connection of a user is theirs, in their organisation, and no key and no colleague sees it', async () => {
    const workspaceid = unique('ws');
    const person = await newPerson();
    const colleague = await newPerson({ orgid: person.orgid });
    const credential = { token: 'hunter2' };
    const body = { type: 'http_bearer', scope: 'user', hosts: ['api.crm.example'], credential };
    const params = { name: 'crm' };
    const stored = await call('putConnection', {
      headers: person.page,
      params,
      query: { workspaceid },
      body,
    });
    expect(stored.body).toMatchObject({ updated_by: person.id, scope: 'user' });
    const seenBy = async (headers: Readonly<Record<string, string>>) =>
      (await call('listConnections', { headers, query: { workspaceid } })).body.items.map(({ name }) => name);
    expect(await seenBy(person.page)).toEqual(['crm']);
    expect(await seenBy(colleague.page)).toEqual([]);
    expect(await seenBy({ 'x-api-key': (await keyOf(person)).token })).toEqual([]);
    // The same person, as a member of another organisation.
    const elsewhere = await newPerson({ email: person.email });
    expect(elsewhere.id).toBe(person.id);
    expect(await seenBy(elsewhere.page)).toEqual([]);
  });
});
