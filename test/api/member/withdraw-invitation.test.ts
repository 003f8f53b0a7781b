// Withdrawing invitations.
import { describe, expect, test } from 'vitest';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { Browser, invite, newEmail, newPerson, signIn } from '#test/support/person.ts';

const inviteTo = async (key: string, email = newEmail()) =>
  (await call('inviteMember', { key, body: { email, roles: { '*': 'viewer' } } })).body;
const withdraw = async (key: string, invitationid: string) =>
  await call('withdrawInvitation', { key, params: { invitationid } });

describe('204', () => {
  test('the person does not become a member, and can be invited again', async () => {
    const { key } = await newCaller();
    const { invitationid, email } = await inviteTo(key);
    expect((await withdraw(key, invitationid)).status).toBe(204);
    expect((await signIn(new Browser(), email)).status).toBe(403);
    expect((await call('listInvitations', { key })).body.items).toEqual([]);
    expect((await inviteTo(key, email)).invitationid).toBe(invitationid);
  });
});

describe('403', () => {
  test('an admin withdraws no invitation of an owner', async () => {
    const { page, orgid } = await newPerson({ role: 'admin' });
    const { key } = await newCaller({ orgid });
    const body = { email: newEmail(), roles: { '*': 'owner' } };
    const { invitationid } = (await call('inviteMember', { key, body })).body;
    const answer = await call('withdrawInvitation', { headers: page, params: { invitationid } });
    expect(answer.problem.code).toBe('permission_denied');
    expect((await withdraw(key, invitationid)).status).toBe(204);
  });
});

describe('404', () => {
  test('missing, withdrawn, expired and foreign invitations look alike', async () => {
    const { key, orgid } = await newCaller();
    const { invitationid } = await inviteTo(key);
    const limited = await newCaller({ orgid, workspaces: [unique('ws')] });
    expect((await withdraw(limited.key, invitationid)).problem.code).toBe('invitation_not_found');
    expect((await withdraw((await newCaller()).key, invitationid)).problem.code).toBe('invitation_not_found');
    await withdraw(key, invitationid);
    const { problem } = await withdraw(key, invitationid);
    expect(problem).toMatchObject({
      code: 'invitation_not_found',
      detail: `There is no invitation ${invitationid}.`,
    });
    const email = newEmail();
    const expired = await inviteTo(key, email);
    await invite({ orgid, email, expiresAt: Date.now() - 1_000 });
    expect((await withdraw(key, expired.invitationid)).problem.code).toBe('invitation_not_found');
  });
});
