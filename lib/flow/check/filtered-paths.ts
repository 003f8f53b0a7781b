// Checks the members of elements that a filter selects, in and after it: in `nodes.t.rows[a > 1].b`, `a` and `b`.
import { spendOnWarnings } from './check-budget.ts';
import type { Path } from './mistake.ts';
import { checkMembers, type NameCheck, readNames } from './names.ts';
import { isPart, leadingNames, type Part, readBareName } from './syntax-part.ts';

interface FilterSearch {
  readonly path: Path;
  readonly check: NameCheck;
}

/** For one name, or one part of a filter. */
const partUnits = 20;

/** The steps of a path that begins at the scope. */
export function checkFiltered(steps: readonly Part[], { path, check }: FilterSearch): void {
  const first = steps.findIndex((step) => 'stages' in step);
  if (first === -1) return;
  // After `@$x` names belong to another value.
  const unbound = steps.findIndex((step) => 'focus' in step || 'tuple' in step);
  const names = leadingNames(unbound === -1 ? steps : steps.slice(0, unbound));
  if (first >= names.length || readNames(names.slice(0, first + 1), check).missing) return;
  if (!spendOnWarnings(check.budget, names.length * partUnits)) return;
  if (names.length > first + 1) checkMembers(names, path, check);
  const inFilter = findMembers(steps[first]?.stages, check);
  for (const name of inFilter) checkMembers([...names.slice(0, first + 1), name], path, check);
}

/** The names that are compared in filters. Names of the scope have a warning of their own. */
function findMembers(stages: unknown, check: NameCheck): ReadonlySet<string> {
  const found = new Set<string>();
  const open = (Array.isArray(stages) ? stages : []).map((stage) => (isPart(stage) ? stage.expr : undefined));
  for (let part = open.pop(); isPart(part); part = open.pop()) {
    if (!spendOnWarnings(check.budget, partUnits)) return found;
    const name = readBareName(part);
    if (name !== undefined && !check.names.includes(name)) found.add(name);
    if (part.type === 'binary') open.push(part.lhs, part.rhs);
  }
  return found;
}
