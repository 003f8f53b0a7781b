// Warns about `${…}`, which other languages fill in and flows leave as it is.
import type { Path } from './mistake.ts';
import type { NameCheck } from './names.ts';
import { addWarning } from './warning-list.ts';

/** With a name of the scope: any other `${` may be meant, such as that of a script. */
const foreign = /\$\{\s*(?:input|state|nodes|env|run|item)\s*[.[}]/;

export const hasForeignTemplate = (text: string): boolean => text.includes('${') && foreign.test(text);

export const warnOfForeignTemplate = ({ path, check }: { readonly path: Path; readonly check: NameCheck }) =>
  addWarning(
    check.warnings,
    { code: 'foreign_syntax', path, subject: 'template' },
    () => `\`$\{…}\` is not filled in: expected \`{{ … }}\` in a text, or \`"…" & …\` in an expression`,
  );
