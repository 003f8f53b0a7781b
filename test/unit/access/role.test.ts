// The permissions of each role as a matrix. A change of a role shows here, and in docs/security.md.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { permissions } from '#lib/access/permission.ts';
import { rolePermissions, roles } from '#lib/access/role.ts';

const matrix = [
  `| permission | ${roles.join(' | ')} |`,
  `|---|${roles.map(() => '---|').join('')}`,
  ...permissions.map(
    (permission) =>
      `| \`${permission}\` | ${roles.map((role) => (rolePermissions[role].includes(permission) ? 'yes' : '')).join(' | ')} |`,
  ),
].join('\n');

test('each role has the permissions that it is documented to have', () => {
  expect(`\n${matrix}\n`).toMatchInlineSnapshot(`
    "
    | permission | owner | admin | builder | operator | viewer | caller |
    |---|---|---|---|---|---|---|
    | \`assistants.flows:read\` | yes | yes | yes | yes | yes |  |
    | \`assistants.flows:create\` | yes | yes | yes |  |  |  |
    | \`assistants.flows:update\` | yes | yes | yes |  |  |  |
    | \`assistants.flows:delete\` | yes | yes | yes |  |  |  |
    | \`assistants.flows:run\` | yes | yes | yes | yes |  | yes |
    | \`runs:inspect\` | yes | yes | yes |  |  |  |
    | \`apikeys:read\` | yes | yes |  | yes |  |  |
    | \`apikeys:create\` | yes | yes |  |  |  |  |
    | \`apikeys:delete\` | yes | yes |  |  |  |  |
    | \`apikeys:extend\` | yes |  |  |  |  |  |
    | \`connections:write\` | yes | yes | yes | yes |  |  |
    | \`audit:read\` | yes | yes |  | yes |  |  |
    | \`usage:read\` | yes | yes | yes | yes |  |  |
    | \`budgets:write\` | yes |  |  |  |  |  |
    | \`members:read\` | yes | yes | yes | yes | yes |  |
    | \`members:write\` | yes | yes |  |  |  |  |
    | \`workspaces:write\` | yes | yes |  |  |  |  |
    "
  `);
});

test('docs/security.md has the same table', async () => {
  expect(await readFile('docs/security.md', 'utf8')).toContain(matrix);
});

test('the owner has every permission, and no other role has one that the owner lacks', () => {
  expect(rolePermissions.owner).toEqual(permissions);
  for (const role of roles) expect(new Set(rolePermissions[role]).size).toBe(rolePermissions[role].length);
});
