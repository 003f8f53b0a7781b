// Warns about objects and lists inside text, which are written as JSON.
import type { Path } from './mistake.ts';
import { isSearching, type NameCheck, readNames } from './names.ts';
import { isPart } from './syntax-part.ts';
import type { Shape } from './value-shape.ts';
import { addWarning } from './warning-list.ts';

interface Text {
  readonly path: Path;
  readonly check: NameCheck;
}

export function warnOfObjectInText(names: readonly string[], { path, check }: Text): void {
  if (!isSearching(check)) return;
  const cure = findCure(names, check);
  if (cure === undefined) return;
  const written = names.join('.');
  addWarning(
    check.warnings,
    { code: 'object_in_text', path, subject: written },
    () =>
      `${written} is written as JSON inside text: expected ${cure}, or $string(${written}) if JSON is meant`,
  );
}

/** An object or a list that the expression itself makes, in text for people. */
export function warnOfMadeObject(part: unknown, { path, check }: Text): void {
  if (!check.isForPeople || !isPart(part) || part.type !== 'unary') return;
  const what = part.value === '{' ? 'an object' : 'a list';
  if (part.value !== '{' && part.value !== '[') return;
  addWarning(
    check.warnings,
    { code: 'object_in_text', path, subject: what },
    () => `${what} is written as JSON inside text: expected a text, or $string(…) if JSON is meant`,
  );
}

/** Undefined if there is nothing to mend: models read JSON. */
function findCure(names: readonly string[], check: NameCheck): string | undefined {
  const written = names.join('.');
  if (written === 'input' && check.names.includes('input')) return '`input.message`, or another member';
  if (written === 'nodes') return '`nodes.<id>`';
  const { shape } = readNames(names, check);
  if (shape?.kind === 'object' && shape.main !== undefined)
    return `a member, such as ${written}.${shape.main}`;
  return shape && check.isForPeople ? describeMembers(shape, written) : undefined;
}

function describeMembers(shape: Shape, written: string): string | undefined {
  if (shape.kind === 'list') return `\`$join(${written}, ", ")\` for a list of texts`;
  return shape.kind === 'object' ? 'one of its members' : undefined;
}
