// Which routes each role may use, asked over HTTP by a member in that role, and printed as docs/roles.md. `-u` writes
// the page.
import { expect, test } from 'vitest';
import type { Permission } from '#lib/access/permission.ts';
import { type Role, rolePermissions, roles } from '#lib/access/role.ts';
import type { Route } from '#lib/http/route.ts';
import { type OperationId, routeList, routes } from '#lib/routes/routes.ts';
import { call } from '#test/support/client.ts';
import { goodRequest } from '#test/support/good-request.ts';
import { newPerson, type Person } from '#test/support/person.ts';

const isOperation = (id: string): id is OperationId => id in routes;
const guarded = routeList.filter(
  (row): row is [OperationId, Route] => isOperation(row[0]) && row[1].credentials.length > 0,
);

/** Whether the route gets past the check of the permission. What its sample names need not exist. */
async function mayUse({ page }: Person, id: OperationId, route: Route): Promise<boolean> {
  const answer = await call(id, { ...goodRequest(route), headers: page });
  if (answer.status !== 403) return true;
  expect(answer.problem.code, id).toBe('permission_denied');
  return !answer.problem.detail?.startsWith('The credentials lack the permission ');
}

/** What a rule asks for beside the permission of its route, whatever the request says. */
const further: Partial<Record<OperationId, Permission>> = { testRegistryRow: 'assistants.flows:run' };

const listPermissions = (id: OperationId, { permission }: Route): Permission[] =>
  [permission, further[id]].filter((each) => each !== undefined);

const expected = (role: Role, id: OperationId, route: Route): boolean =>
  listPermissions(id, route).every(
    (permission) =>
      rolePermissions[role].includes(permission) ||
      (route.orPermission !== undefined && rolePermissions[role].includes(route.orPermission)),
  );

const printRow = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

function printPage(allowed: ReadonlyMap<Role, ReadonlySet<OperationId>>): string {
  const rows = guarded.map(([id, route]) =>
    printRow([
      `${route.method} \`${route.path}\``,
      listPermissions(id, route)
        .map((permission) => `\`${permission}\``)
        .join(', ') + (route.orPermission ? ` or \`${route.orPermission}\`` : ''),
      ...roles.map((role) => (allowed.get(role)?.has(id) ? 'yes' : '')),
    ]),
  );
  return `# Roles and routes

\`npx vitest run --project api test/api/role-matrix.test.ts -u\` writes this page: a member in each role asks each route over HTTP. An empty cell is 403 \`permission_denied\`. Routes without a permission take every
credential: what the caller may see decides then, as with [agents](security.md#authentication-and-permissions). A member with roles in single workspaces uses each route in those whose role allows it.

${printRow(['route', 'permission', ...roles])}
|---|---|${roles.map(() => '---|').join('')}
${rows.join('\n')}
`;
}

test('each role may use the routes whose permission it has, and no others, as docs/roles.md says', async () => {
  const allowed = new Map<Role, Set<OperationId>>();
  for (const role of roles) {
    const person = await newPerson({ role });
    const own = new Set<OperationId>();
    for (const [id, route] of guarded) if (await mayUse(person, id, route)) own.add(id);
    allowed.set(role, own);
    expect([...own]).toEqual(guarded.filter(([id, route]) => expected(role, id, route)).map(([id]) => id));
  }
  await expect(printPage(allowed)).toMatchFileSnapshot('../../docs/roles.md');
});
