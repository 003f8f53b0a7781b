// Warns about calls with fewer or more arguments than a function takes: the run ends with `expression.error` there.
import { readArity } from '../expression/signatures.ts';
import type { Path } from './mistake.ts';
import type { NameCheck } from './names.ts';
import { isPart, type Part } from './syntax-part.ts';
import { addWarning } from './warning-list.ts';

interface CallingExpression {
  readonly source: string;
  readonly path: Path;
  readonly check: NameCheck;
}

/** `piped` is 1 for a call that `~>` passes a value. */
export function warnOfArguments(
  { procedure, arguments: args }: Part,
  piped: number,
  search: CallingExpression,
): void {
  if (!isPart(procedure) || procedure.type !== 'variable' || !Array.isArray(args)) return;
  const name = String(procedure.value);
  const arity = readArity(name);
  const given = args.length + piped;
  if (!arity || (given >= arity.min && given <= arity.max) || isRedefined(name, search.source)) return;
  addWarning(
    search.check.warnings,
    { code: 'wrong_arguments', path: search.path, subject: name },
    () => `$${name} is called with ${count(given)}: expected ${arity.text}`,
  );
}

const count = (given: number): string =>
  given === 0 ? 'no argument' : `${given} ${given === 1 ? 'argument' : 'arguments'}`;

/** An expression may bind the name itself, as a variable or as a parameter. */
const isRedefined = (name: string, source: string): boolean =>
  new RegExp(`\\$${name}\\s*:=|[@#]\\s*\\$${name}\\b|(?:function|λ)\\s*\\([^)]*\\$${name}\\b`).test(source);
