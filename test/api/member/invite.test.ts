// Inviting people by e-mail address: who may give which role, and what becomes of an invitation.
import { describe, expect, test } from 'vitest';
import { type MemberRoles, rolePermissions, roles } from '#lib/access/role.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import {
  Browser,
  invite as inviteAsOperator,
  newEmail,
  newPerson,
  pageHeaders,
  signIn,
} from '#test/support/person.ts';

type Headers = Readonly<Record<string, string>>;
const byKey = ({ key }: TestCaller): Headers => ({ 'x-api-key': key });
const invite = async (headers: Headers, given: MemberRoles, email = newEmail()) =>
  await call('inviteMember', { headers, body: { email, roles: given } });

describe('201', () => {
  test('who signs in with the address becomes a member with these roles, once', async () => {
    const owner = await newPerson();
    const email = newEmail();
    const { body, headers } = await invite(owner.page, { '*': 'builder' }, email.toUpperCase());
    expect(body).toEqual({
      invitationid: expect.stringMatching(/^inv_/),
      orgid: owner.orgid,
      email,
      roles: { '*': 'builder' },
      created_at: expect.any(String),
      created_by: owner.id,
      expires_at: expect.any(String),
      sign_in_url: expect.stringMatching(new RegExp(`/auth/login\\?orgid=${owner.orgid}$`)),
    });
    expect(headers.get('location')).toBe(`/api/v1/invitations/${body.invitationid}`);
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(7 * 86_400_000);
    const browser = new Browser();
    await signIn(browser, email);
    const me = (await call('getMe', { headers: pageHeaders(browser) })).body;
    expect(me).toMatchObject({ email, orgid: owner.orgid, roles: { '*': 'builder' } });
    expect((await call('listInvitations', { headers: owner.page })).body.items).toEqual([]);
    const member = await call('getMember', { headers: owner.page, params: { userid: me.id } });
    expect(member.body).toMatchObject({ userid: me.id, created_by: owner.id, version: 1 });
  });

  test.each(roles)('an owner gives the role %s', async (role) => {
    const owner = await newPerson();
    expect((await invite(owner.page, { '*': role })).body.roles).toEqual({ '*': role });
  });

  test('roles in workspaces name workspaces with a name, or those of the credentials', async () => {
    const owner = byKey(await newCaller());
    const workspaceid = unique('ws');
    await call('createWorkspace', { headers: owner, body: { workspaceid, name: 'One' } });
    expect((await invite(owner, { [workspaceid]: 'viewer' })).status).toBe(201);
    const limited = await newCaller({ workspaces: [unique('ws')] });
    expect((await invite(byKey(limited), { [limited.workspaceid]: 'owner' })).status).toBe(201);
  });

  test('an address whose invitation has expired is invited again', async () => {
    const owner = await newPerson();
    const { email } = await inviteAsOperator({ orgid: owner.orgid, expiresAt: Date.now() - 1_000 });
    expect((await invite(owner.page, { '*': 'viewer' }, email)).status).toBe(201);
  });

  test('organisations invite the same address independently', async () => {
    const [one, other] = [byKey(await newCaller()), byKey(await newCaller())];
    const email = newEmail();
    for (const headers of [one, other])
      expect((await invite(headers, { '*': 'viewer' }, email)).status).toBe(201);
  });
});

describe('400', () => {
  test.each<[object, string, string]>([
    ...['ada', 'ada@localhost', 'ada@-a.example', 'ada@a-.example', 'a b@a.example', 'a..b@a.example'].map(
      (email): [object, string, string] => [
        { email, roles: { '*': 'viewer' } },
        '/body/email',
        'must be an e-mail address',
      ],
    ),
    [{ email: 'ada@example.com', roles: {} }, '/body/roles', 'a role for each of 1 to 50 workspaces'],
    [{ email: 'ada@example.com', roles: { '*': 'king' } }, '/body/roles', 'roles are owner, admin'],
    [
      { email: 'ada@example.com', roles: { '*': 'viewer' }, expires_in_days: 31 },
      '/body/expires_in_days',
      '30',
    ],
    [
      { email: 'ada@example.com', roles: { ws_none: 'viewer' } },
      '/body/roles/ws_none',
      'POST /api/v1/workspaces',
    ],
  ])('%j names %s', async (body, pointer, detail) => {
    const { problem } = await call('inviteMember', { headers: byKey(await newCaller()), body });
    expect(problem).toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer, detail: expect.stringContaining(detail) }],
    });
  });
});

describe('403', () => {
  test('nobody gives a role with more permissions than their own: an admin makes no owner', async () => {
    const admin = await newPerson({ role: 'admin' });
    expect((await invite(admin.page, { '*': 'admin' })).status).toBe(201);
    expect((await invite(admin.page, { '*': 'owner' })).problem).toMatchObject({
      code: 'permission_denied',
      detail: expect.stringContaining('apikeys:extend'),
    });
  });

  test('a key gives what its own permissions are, in its own workspaces', async () => {
    const key = byKey(await newCaller({ scopes: ['members:write', ...rolePermissions.viewer] }));
    expect((await invite(key, { '*': 'viewer' })).status).toBe(201);
    expect((await invite(key, { '*': 'caller' })).problem.detail).toContain('assistants.flows:run');
    const limited = await newCaller({ workspaces: [unique('ws')] });
    const other = unique('ws');
    expect((await invite(byKey(limited), { '*': 'viewer' })).problem.detail).toContain('workspace *');
    expect((await invite(byKey(limited), { [other]: 'viewer' })).problem.detail).toContain(
      `workspace ${other}`,
    );
  });
});

describe('409', () => {
  test('the address of a member, and one with an open invitation, say how to go on', async () => {
    const owner = await newPerson();
    const colleague = await newPerson({ orgid: owner.orgid, role: 'viewer' });
    const member = await invite(owner.page, { '*': 'viewer' }, colleague.email);
    expect(member.problem).toMatchObject({
      code: 'already_member',
      detail: expect.stringContaining(`PUT /api/v1/members/${colleague.id}`),
    });
    const email = newEmail();
    await invite(owner.page, { '*': 'viewer' }, email);
    expect((await invite(owner.page, { '*': 'builder' }, email)).problem).toMatchObject({
      code: 'already_invited',
      detail: expect.stringContaining('DELETE /api/v1/invitations/'),
    });
  });

  test('a member of other workspaces is not named to credentials that do not see the member', async () => {
    const { orgid } = await newPerson();
    const [mine, other] = [unique('ws'), unique('ws')];
    const colleague = await newPerson({ orgid, roles: { [other]: 'viewer' } });
    const limited = byKey(await newCaller({ orgid, workspaces: [mine] }));
    const { problem } = await invite(limited, { [mine]: 'viewer' }, colleague.email);
    expect(problem).toMatchObject({ code: 'already_member' });
    expect(problem.detail).not.toContain(colleague.id);
    expect(problem.detail).toContain('workspaces that these credentials are not for');
  });

  test('of two who invite an address at the same time, one succeeds', async () => {
    const owner = byKey(await newCaller());
    const email = newEmail();
    const answers = await Promise.all(
      [1, 2, 3].map(async () => await invite(owner, { '*': 'viewer' }, email)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });
});
