// The list of members, in pages.
import { describe, expect, test } from 'vitest';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { newPerson } from '#test/support/person.ts';

describe('200', () => {
  test('lists the members of the organisation by address, page by page, and of no other', async () => {
    const owner = await newPerson();
    const others = [
      await newPerson({ orgid: owner.orgid, role: 'viewer' }),
      await newPerson({ orgid: owner.orgid, role: 'builder' }),
    ];
    await newPerson();
    const emails = [owner, ...others].map(({ email }) => email).sort();
    const all = (await call('listMembers', { headers: owner.page })).body;
    expect(all.items.map(({ email }) => email)).toEqual(emails);
    expect(all.nextCursor).toBeUndefined();
    const first = (await call('listMembers', { headers: owner.page, query: { limit: '2' } })).body;
    const cursor = first.nextCursor ?? '';
    const second = (await call('listMembers', { headers: owner.page, query: { limit: '2', cursor } })).body;
    expect([...first.items, ...second.items]).toEqual(all.items);
    expect(second.nextCursor).toBeUndefined();
  });

  test('credentials for a workspace list the members who have roles in no other, over several pages', async () => {
    const [orgid, own, other] = [unique('org'), unique('ws'), unique('ws')];
    const shown = [];
    for (const workspace of [own, other, own, other])
      shown.push(await newPerson({ orgid, roles: { [workspace]: 'viewer' } }));
    await newPerson({ orgid });
    const { key } = await newCaller({ orgid, workspaces: [own], scopes: ['members:read'] });
    const expected = shown
      .filter((_person, n) => n % 2 === 0)
      .map(({ email }) => email)
      .sort();
    const first = (await call('listMembers', { key, query: { limit: '1' } })).body;
    const cursor = first.nextCursor ?? '';
    const second = (await call('listMembers', { key, query: { limit: '1', cursor } })).body;
    expect([...first.items, ...second.items].map(({ email }) => email)).toEqual(expected);
    expect(second.nextCursor).toBeUndefined();
  });

  test('is empty for an organisation that only has keys', async () => {
    expect((await call('listMembers', { key: (await newCaller()).key })).body).toEqual({ items: [] });
  });
});

test('403: calling agents shows nobody', async () => {
  const { page } = await newPerson({ role: 'caller' });
  expect((await call('listMembers', { headers: page })).problem.code).toBe('permission_denied');
});
