// Removing members: who may, and that nothing of a former membership works, also after a new one. When others notice is
// in removed-access.test.ts.
import { beforeAll, describe, expect, test } from 'vitest';
import { grantItemKey, toGrantItem } from '#lib/access/grant-items.ts';
import { hashSession, sessionItemKey } from '#lib/access/session-items.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import { getItem, putItem } from '#lib/dynamo/items.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import {
  Browser,
  invite as inviteAsOperator,
  newPerson,
  type Person,
  pageHeaders,
  sessionCookie,
  signIn,
} from '#test/support/person.ts';

const remove = async (by: Person, { id: userid }: Person, ifMatch?: string) =>
  await call('removeMember', {
    headers: { ...by.page, ...(ifMatch !== undefined && { 'if-match': ifMatch }) },
    params: { userid },
  });
const codeOf = async (headers: Readonly<Record<string, string>>) =>
  (await call('getMe', { headers })).problem.code;
const sessionKey = ({ browser }: Person) => sessionItemKey(hashSession(browser.cookie(sessionCookie) ?? ''));
const newKey = async (credential: Parameters<typeof call>[1]) =>
  (
    await call('createApiKey', {
      ...credential,
      body: { label: 'One', scopes: ['assistants.flows:read', 'apikeys:create'], workspaces: '*' },
    })
  ).body.token;

async function newGrant({ id: userid, orgid }: Pick<Person, 'id' | 'orgid'>): Promise<string> {
  const grantid = unique('grant').padEnd(24, '0');
  const created_at = new Date().toISOString();
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const grant = { grantid, userid, orgid, workspaces: '*', clientid: 'client', scopes: [] } as const;
  await putItem(controlTable, toGrantItem({ ...grant, scopes: [], created_at, expires_at }));
  return grantid;
}

describe('204', () => {
  let owner: Person;
  let admin: Person;
  let elsewhere: Person;
  let keys: string[];
  let grants: readonly [string, string];
  beforeAll(async () => {
    owner = await newPerson();
    admin = await newPerson({ orgid: owner.orgid, role: 'admin' });
    elsewhere = await newPerson({ email: admin.email });
    const token = await newKey({ headers: admin.page });
    keys = [token, await newKey({ key: token })];
    grants = [await newGrant(admin), await newGrant(elsewhere)];
    expect((await remove(owner, admin)).status).toBe(204);
  });

  test('the sessions of the member and all keys that go back to them are refused', async () => {
    expect(await codeOf(admin.page)).toBe('unauthenticated');
    for (const key of keys) expect(await codeOf({ 'x-api-key': key })).toBe('unauthenticated');
    expect(
      (await call('getMember', { headers: owner.page, params: { userid: admin.id } })).problem.code,
    ).toBe('member_not_found');
  });

  test('the sessions and grants of the organisation are deleted, those of another organisation stay', async () => {
    expect(await getItem(controlTable, sessionKey(admin))).toBeUndefined();
    expect(await getItem(controlTable, sessionKey(elsewhere))).toBeDefined();
    expect(await getItem(controlTable, grantItemKey(grants[0]))).toBeUndefined();
    expect(await getItem(controlTable, grantItemKey(grants[1]))).toBeDefined();
    expect((await call('getMe', { headers: elsewhere.page })).body.orgid).toBe(elsewhere.orgid);
  });

  test('a new membership gives back no session and no key of the former one', async () => {
    const session = { cookie: admin.page.cookie ?? '' };
    const stale = sessionKey(admin);
    // As if the removal had ended before it deleted the session.
    await putItem(controlTable, {
      ...stale,
      sessionid: stale.pk.slice('SESSION#'.length),
      userid: admin.id,
      orgid: admin.orgid,
      created_at: new Date(Date.now() - 60_000).toISOString(),
      last_used_at: new Date().toISOString(),
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    const again = await newPerson({ email: admin.email, orgid: admin.orgid, role: 'admin' });
    expect(again.id).toBe(admin.id);
    expect(await codeOf(session)).toBe('unauthenticated');
    for (const key of keys) expect(await codeOf({ 'x-api-key': key })).toBe('unauthenticated');
    expect((await call('getMe', { key: await newKey({ headers: again.page }) })).body.root).toBe(admin.id);
  });

  test('an open invitation of the same address lets nobody in again', async () => {
    const first = await newPerson();
    const second = await newPerson({ orgid: first.orgid, role: 'viewer' });
    await inviteAsOperator({ email: second.email, orgid: first.orgid, role: 'owner' });
    expect((await remove(first, second)).status).toBe(204);
    const browser = new Browser();
    await signIn(browser, second.email);
    expect(await codeOf(pageHeaders(browser))).toBe('unauthenticated');
  });
});

describe('403', () => {
  test('an admin removes no owner, and a builder nobody', async () => {
    const owner = await newPerson();
    const admin = await newPerson({ orgid: owner.orgid, role: 'admin' });
    const builder = await newPerson({ orgid: owner.orgid, role: 'builder' });
    expect((await remove(admin, owner)).problem.code).toBe('permission_denied');
    expect((await remove(builder, builder)).problem.detail).toContain('members:write');
    expect((await remove(admin, builder)).status).toBe(204);
  });
});

describe('404', () => {
  test('a member of another organisation stays one', async () => {
    const [owner, stranger] = [await newPerson(), await newPerson()];
    expect((await remove(owner, stranger)).problem.code).toBe('member_not_found');
    expect((await call('getMe', { headers: stranger.page })).status).toBe(200);
  });
});

describe('409', () => {
  test('the last owner cannot leave, by no credentials: `last_owner`', async () => {
    const owner = await newPerson();
    expect((await remove(owner, owner)).problem.code).toBe('last_owner');
    const { key } = await newCaller({ orgid: owner.orgid });
    const byKey = await call('removeMember', { key, params: { userid: owner.id } });
    expect(byKey.problem.code).toBe('last_owner');
    const second = await newPerson({ orgid: owner.orgid });
    expect((await remove(owner, owner)).status).toBe(204);
    expect((await remove(second, second)).problem.code).toBe('last_owner');
  });
});

describe('412', () => {
  test('If-Match names another version', async () => {
    const owner = await newPerson();
    const viewer = await newPerson({ orgid: owner.orgid, role: 'viewer' });
    expect((await remove(owner, viewer, '"9-abc"')).problem.code).toBe('precondition_failed');
    expect((await remove(owner, viewer, '*')).status).toBe(204);
  });
});
