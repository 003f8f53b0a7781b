import { describe, expect, test } from 'vitest';
import { type Caller, mayUseWorkspace, requirePermission, requireWorkspace } from '#lib/access/caller.ts';
import { permissions } from '#lib/access/permission.ts';

const caller = (some: Partial<Caller> = {}): Caller => ({
  id: 'key_1',
  orgid: 'org_a',
  workspaces: '*',
  scopes: new Set(),
  ...some,
});

describe.each(permissions)('%s', (permission) => {
  test('is granted only by its own scope', () => {
    expect(() => requirePermission(caller({ scopes: new Set([permission]) }), permission)).not.toThrow();
    const others = permissions.filter((other) => other !== permission);
    expect(() => requirePermission(caller({ scopes: new Set(others) }), permission)).toThrow(permission);
  });
});

test.each<[Caller['workspaces'], string, boolean]>([
  ['*', 'ws_a', true],
  [new Set(['ws_a']), 'ws_a', true],
  [new Set(['ws_a']), 'ws_b', false],
  [new Set(['ws_a']), '*', false],
  [new Set(), 'ws_a', false],
])('a key for workspaces %j may use %s: %s', (workspaces, workspaceid, isAllowed) => {
  expect(mayUseWorkspace(caller({ workspaces }), workspaceid)).toBe(isAllowed);
  const attempt = () => requireWorkspace(caller({ workspaces }), workspaceid);
  if (isAllowed) expect(attempt).not.toThrow();
  else expect(attempt).toThrow(expect.objectContaining({ code: 'permission_denied' }));
});
