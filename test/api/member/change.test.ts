// Changing the roles of members: who may, and that an organisation keeps an owner whatever happens at the same time.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toCaller } from '#lib/access/member-items.ts';
import type { MemberRoles } from '#lib/access/role.ts';
import { ServiceError } from '#lib/errors.ts';
import { changeMember, listMembers, removeMember } from '#lib/member/own-members.ts';
import { acceptInvitation, insertInvitation } from '#lib/session/invitation-items.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { newEmail, newPerson, type Person } from '#test/support/person.ts';
import { seed } from '#test/support/seed.ts';

const change = async (by: Person, { id: userid }: Person, roles: MemberRoles, ifMatch?: string) =>
  await call('changeMember', {
    headers: { ...by.page, ...(ifMatch !== undefined && { 'if-match': ifMatch }) },
    params: { userid },
    body: { roles },
  });

describe('200', () => {
  test('replaces the roles, which the member has from then on', async () => {
    const owner = await newPerson();
    const { key, ...caller } = await newCaller({ orgid: owner.orgid });
    const builder = await newPerson({ orgid: owner.orgid, role: 'viewer' });
    const workspaceid = unique('ws');
    await call('createWorkspace', { key, body: { workspaceid, name: 'One' } });
    const changed = await change(owner, builder, { [workspaceid]: 'builder' });
    expect(changed.body).toMatchObject({
      roles: { [workspaceid]: 'builder' },
      version: 2,
      updated_by: owner.id,
    });
    expect(caller.orgid).toBe(changed.body.orgid);
    const read = await call('getMember', { key, params: { userid: builder.id } });
    expect(read.body).toEqual(changed.body);
    expect(read.headers.get('etag')).toBe(changed.headers.get('etag'));
  });

  test('an owner hands the organisation over', async () => {
    const owner = await newPerson();
    const next = await newPerson({ orgid: owner.orgid, role: 'builder' });
    expect((await change(owner, owner, { '*': 'admin' })).problem.code).toBe('last_owner');
    expect((await change(owner, next, { '*': 'owner' })).status).toBe(200);
    expect((await change(owner, owner, { '*': 'admin' })).status).toBe(200);
  });
});

describe('400', () => {
  test('an unknown workspace is named', async () => {
    const owner = await newPerson();
    const { problem } = await change(owner, owner, { ws_none: 'owner' });
    expect(problem.errors).toEqual([{ pointer: '/body/roles/ws_none', detail: expect.any(String) }]);
  });
});

describe('403', () => {
  test('an admin neither makes an owner nor changes one', async () => {
    const owner = await newPerson();
    const admin = await newPerson({ orgid: owner.orgid, role: 'admin' });
    const viewer = await newPerson({ orgid: owner.orgid, role: 'viewer' });
    for (const refused of [
      await change(admin, viewer, { '*': 'owner' }),
      await change(admin, admin, { '*': 'owner' }),
      await change(admin, owner, { '*': 'viewer' }),
    ])
      expect(refused.problem).toMatchObject({
        code: 'permission_denied',
        detail: expect.stringContaining('apikeys:extend'),
      });
    expect((await change(admin, viewer, { '*': 'operator' })).status).toBe(200);
  });

  test('who was demoted a moment ago, in a session that a process still has cached, changes nobody', async () => {
    const owner = await newPerson();
    const admin = await newPerson({ orgid: owner.orgid, role: 'admin' });
    const viewer = await newPerson({ orgid: owner.orgid, role: 'viewer' });
    // The process has the role of the session now.
    expect((await change(admin, viewer, { '*': 'builder' })).status).toBe(200);
    expect((await change(owner, admin, { '*': 'viewer' })).status).toBe(200);
    expect((await change(admin, viewer, { '*': 'admin' })).problem.code).toBe('permission_denied');
  });

  test('nor a member with no more than the role that is left, and invites and removes nobody', async () => {
    const owner = await newPerson();
    const [admin, viewer] = [
      await newPerson({ orgid: owner.orgid, role: 'admin' }),
      await newPerson({ orgid: owner.orgid, role: 'viewer' }),
    ];
    const viewers = { roles: { '*': 'viewer' } } as const;
    const { headers, params } = { headers: admin.page, params: { userid: viewer.id } };
    expect((await call('changeMember', { headers, params, body: viewers })).status).toBe(200);
    expect((await change(owner, admin, viewers.roles)).status).toBe(200);
    for (const refused of [
      await call('changeMember', { headers, params, body: viewers }),
      await call('inviteMember', { headers, body: { email: newEmail(), ...viewers } }),
      await call('removeMember', { headers, params }),
    ])
      expect(refused.problem).toMatchObject({
        code: 'permission_denied',
        detail: expect.stringContaining('members:write'),
      });
  });

  test('who was demoted in one workspace a moment ago changes nobody there', async () => {
    const owner = await newPerson();
    const headers = owner.page;
    for (const workspaceid of ['ws_one', 'ws_two'])
      await call('createWorkspace', { headers, body: { workspaceid, name: workspaceid } });
    const admin = await newPerson({ orgid: owner.orgid, roles: { ws_one: 'admin', ws_two: 'admin' } });
    const viewer = await newPerson({ orgid: owner.orgid, roles: { ws_one: 'viewer' } });
    expect((await change(admin, viewer, { ws_one: 'viewer' })).status).toBe(200);
    expect((await change(owner, admin, { ws_one: 'viewer', ws_two: 'admin' })).status).toBe(200);
    expect((await change(admin, viewer, { ws_one: 'viewer' })).problem.code).toBe('permission_denied');
  });
});

describe('404', () => {
  test('a member of another organisation cannot be changed', async () => {
    const [owner, stranger] = [await newPerson(), await newPerson()];
    expect((await change(owner, stranger, { '*': 'viewer' })).problem.code).toBe('member_not_found');
  });
});

describe('409', () => {
  test('the last owner stays an owner: `last_owner`', async () => {
    const owner = await newPerson();
    expect((await change(owner, owner, { '*': 'viewer' })).problem).toMatchObject({
      code: 'last_owner',
      detail: expect.stringContaining('make another member an owner first'),
    });
  });
});

describe('412', () => {
  test('If-Match names another version', async () => {
    const owner = await newPerson();
    const viewer = await newPerson({ orgid: owner.orgid, role: 'viewer' });
    const { headers } = await change(owner, viewer, { '*': 'builder' });
    const etag = headers.get('etag') ?? '';
    expect((await change(owner, viewer, { '*': 'viewer' }, etag)).status).toBe(200);
    expect((await change(owner, viewer, { '*': 'builder' }, etag)).problem.code).toBe('precondition_failed');
  });
});

describe('the owners of an organisation', () => {
  type Act = readonly ['demote' | 'remove' | 'promote', number, number];
  /** Two owners, and an admin who may become one. */
  const people = 3;
  const act = fc.tuple(
    fc.constantFrom('demote', 'demote', 'demote', 'remove', 'promote'),
    fc.nat(people - 1),
    fc.nat(people - 1),
  ) as fc.Arbitrary<Act>;
  const userid = (n: number) => `user_${String(n).repeat(43)}`;

  async function join(orgid: string, n: number) {
    const at = new Date().toISOString();
    const roles = { '*': n < people - 1 ? 'owner' : 'admin' } as const;
    const email = `${n}@example.com`;
    const invited = await insertInvitation({
      email,
      orgid,
      roles,
      created_at: at,
      created_by: 'service_operator',
      expires_at: new Date(Date.now() + 60_000).toISOString(),
    });
    if (!invited) throw new Error('The address is new.');
    const by = {
      created_at: at,
      created_by: 'service_operator',
      updated_at: at,
      updated_by: 'service_operator',
    };
    await acceptInvitation(invited, { userid: userid(n), orgid, roles, email, version: 1, ...by });
  }

  async function perform(orgid: string, [what, actor, target]: Act): Promise<string> {
    const caller = toCaller({ userid: userid(actor), orgid, roles: { '*': 'owner' } });
    const request = { userid: userid(target), at: new Date().toISOString(), ifMatch: undefined };
    try {
      if (what === 'remove') await removeMember(caller, request);
      else
        await changeMember(caller, { ...request, roles: { '*': what === 'promote' ? 'owner' : 'viewer' } });
      return 'done';
    } catch (error) {
      if (error instanceof ServiceError) return error.code;
      throw error;
    }
  }

  test('are never none, whoever demotes, removes and promotes whom at the same time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(act, { minLength: 2, maxLength: 6 }), { minLength: 1, maxLength: 4 }),
        async (rounds) => {
          const orgid = unique('org');
          for (let n = 0; n < people; n += 1) await join(orgid, n);
          for (const round of rounds) {
            const outcomes = await Promise.all(round.map(async (each) => await perform(orgid, each)));
            const known = [
              'done',
              'last_owner',
              'member_not_found',
              'permission_denied',
              'unauthenticated',
              'version_conflict',
            ];
            for (const outcome of outcomes) expect(known).toContain(outcome);
            const left = await listMembers(
              toCaller({ userid: userid(0), orgid, roles: { '*': 'owner' } }),
              {},
            );
            expect(left.items.filter(({ roles }) => roles['*'] === 'owner').length).toBeGreaterThan(0);
          }
        },
      ),
      { seed, numRuns: 40 },
    );
  }, 120_000);

  test('all demote and remove each other and themselves at once, and one is left', async () => {
    const orgid = unique('org');
    for (let n = 0; n < people; n += 1) await join(orgid, n);
    const acts = [0, 1, 2].flatMap((actor) =>
      [0, 1, 2].map((target): Act => [(actor + target) % 2 === 0 ? 'demote' : 'remove', actor, target]),
    );
    await Promise.all(acts.map(async (each) => await perform(orgid, each)));
    const left = await listMembers(toCaller({ userid: userid(0), orgid, roles: { '*': 'owner' } }), {});
    const owners = left.items.filter(({ roles }) => roles['*'] === 'owner');
    expect(owners.length).toBeGreaterThan(0);
    // The number is right, too: the last one of them stays.
    for (const { userid: id } of owners.slice(1))
      expect(await perform(orgid, ['demote', Number(owners[0]?.userid[5]), Number(id[5])])).toBe('done');
    const last = Number(owners[0]?.userid[5]);
    expect(await perform(orgid, ['remove', last, last])).toBe('last_owner');
  });
});
