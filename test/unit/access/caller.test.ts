// What a caller may do in each of its workspaces.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Caller,
  findLacking,
  findScopes,
  intersectCallers,
  mayUseWorkspaces,
  narrowToPermission,
  requirePermission,
} from '#lib/access/caller.ts';
import { toCaller } from '#lib/access/member-items.ts';
import { type Permission, permissions } from '#lib/access/permission.ts';
import { type MemberRoles, memberRoles, rolePermissions, roles } from '#lib/access/role.ts';

const userid = `user_${'a'.repeat(43)}`;
const member = (given: MemberRoles): Caller => toCaller({ userid, orgid: 'org_a', roles: given });
const builderAndViewer = member({ ws_a: 'builder', ws_b: 'viewer' });

describe('a member with a role in each workspace', () => {
  test('has the permissions of each role in its own workspace only', () => {
    expect([...findScopes(builderAndViewer, 'ws_a')]).toEqual(rolePermissions.builder);
    expect([...findScopes(builderAndViewer, 'ws_b')]).toEqual(rolePermissions.viewer);
    expect([...findScopes(builderAndViewer, 'ws_c')]).toEqual([]);
  });

  test.each<[Permission, string[]]>([
    ['assistants.flows:read', ['ws_a', 'ws_b']],
    ['assistants.flows:create', ['ws_a']],
  ])('is narrowed for %s to %j', (permission, workspaces) => {
    const narrowed = narrowToPermission(builderAndViewer, permission);
    expect([...narrowed.workspaces]).toEqual(workspaces);
    for (const workspace of workspaces) requirePermission(narrowed, permission, workspace);
  });

  test('is refused what it may do nowhere, and in a workspace what it may do in another', () => {
    expect(() => narrowToPermission(builderAndViewer, 'audit:read')).toThrow(
      'The credentials lack the permission audit:read.',
    );
    expect(() => requirePermission(builderAndViewer, 'assistants.flows:run', 'ws_b')).toThrow(
      'The credentials lack the permission assistants.flows:run in this workspace.',
    );
  });

  test('lacks what it has not in all workspaces that are asked for', () => {
    const wanted = ['assistants.flows:read', 'assistants.flows:run'] as const;
    expect(findLacking(builderAndViewer, wanted, ['ws_a'])).toEqual([]);
    expect(findLacking(builderAndViewer, wanted, ['ws_a', 'ws_b'])).toEqual(['assistants.flows:run']);
    expect(findLacking(builderAndViewer, wanted, ['ws_c'])).toEqual(wanted);
    expect(mayUseWorkspaces(builderAndViewer, ['ws_a', 'ws_b'])).toBe(true);
    expect(mayUseWorkspaces(builderAndViewer, '*')).toBe(false);
  });
});

const someRoles = fc.oneof(
  fc.constantFrom(...roles).map((role): MemberRoles => ({ '*': role })),
  fc.dictionary(fc.constantFrom('ws_a', 'ws_b', 'ws_c'), fc.constantFrom(...roles), { minKeys: 1 }),
);

test('two callers together may do in each workspace what both may do there, in either order', () => {
  fc.assert(
    fc.property(someRoles, someRoles, (left, right) => {
      for (const workspace of ['ws_a', 'ws_b', 'ws_c', 'ws_d']) {
        const both = permissions.filter((permission) =>
          [left, right].every((each) => findScopes(member(each), workspace).has(permission)),
        );
        for (const [one, other] of [
          [left, right],
          [right, left],
        ] as const) {
          const caller = intersectCallers(member(one), member(other));
          const scopes = findScopes(caller, workspace);
          expect(permissions.filter((permission) => scopes.has(permission))).toEqual(both);
          for (const permission of both) {
            const narrowed = narrowToPermission(caller, permission);
            expect(mayUseWorkspaces(narrowed, [workspace])).toBe(true);
          }
        }
      }
    }),
  );
});

test('roles are of the whole organisation or of 1 to 50 workspaces', () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`ws_${n}`, 'viewer']));
  for (const good of [{ '*': 'owner' }, { ws_a: 'caller' }, many(50)])
    expect(memberRoles.safeParse(good).success).toBe(true);
  for (const bad of [
    {},
    { '*': 'king' },
    { '*': 'owner', ws_a: 'viewer' },
    { 'a b': 'viewer' },
    many(51),
    [],
  ])
    expect(memberRoles.safeParse(bad).error?.issues[0]?.message).toMatch(/^must be \{"\*": role\} for the/);
});
