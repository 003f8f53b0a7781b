// The open invitations of an organisation.
import { expect, test } from 'vitest';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { invite, newEmail } from '#test/support/person.ts';

test('200: lists open invitations page by page, no expired ones, and none of others', async () => {
  const { key, orgid } = await newCaller();
  const emails = [newEmail(), newEmail(), newEmail()];
  for (const email of emails) await call('inviteMember', { key, body: { email, roles: { '*': 'viewer' } } });
  await invite({ orgid, expiresAt: Date.now() - 1_000 });
  await invite();
  const all = (await call('listInvitations', { key })).body;
  expect(all.items.map(({ email }) => email).sort()).toEqual([...emails].sort());
  const first = (await call('listInvitations', { key, query: { limit: '2' } })).body;
  const cursor = first.nextCursor ?? '';
  const second = (await call('listInvitations', { key, query: { limit: '2', cursor } })).body;
  expect([...first.items, ...second.items]).toEqual(all.items);
  expect(second.nextCursor).toBeUndefined();
});

test('200: credentials for a workspace list the invitations for it alone', async () => {
  const [orgid, own] = [unique('org'), unique('ws')];
  const { email } = await invite({ orgid, roles: { [own]: 'viewer' } });
  await invite({ orgid, roles: { [own]: 'viewer', ws_other: 'viewer' } });
  await invite({ orgid });
  const { key } = await newCaller({ orgid, workspaces: [own] });
  const { items } = (await call('listInvitations', { key })).body;
  expect(items.map((each) => each.email)).toEqual([email]);
});
