// Reads a flow from a file, checks it, and prints its mistakes and warnings.
import { styleText } from 'node:util';
import { checkFlow } from '#lib/flow/check/check-flow.ts';
import type { Mistake, Warning } from '#lib/flow/check/mistake.ts';
import type { Flow } from '#lib/flow/definition/flow.ts';
import type { RepeatedName } from '#lib/json/duplicate-keys.ts';
import { parsePointer, pointerTo } from '#lib/json/pointer.ts';
import type { Locate } from '#lib/json/position.ts';
import { parseTenantModels } from '#lib/model/catalog.ts';
import { findUnknownModels } from '#lib/model/unknown-models.ts';
import { plainText } from './plain-text.ts';
import { formatPosition, readDocument } from './read-document.ts';

/** Prints mistakes and warnings to stderr. Undefined if there are mistakes. */
export async function readCheckedFlow(file: string): Promise<Flow | undefined> {
  const { value, locate, repeated } = await readDocument(file);
  const checked = checkFlow(value);
  const print = createPrinter(file, locate);
  const mistakes = [...repeated.map(toMistake), ...(checked.ok ? [] : checked.errors)];
  for (const mistake of mistakes) print('red', 'mistake', mistake);
  const unlisted = checked.ok ? 0 : checked.total - checked.errors.length;
  if (unlisted > 0) console.error(`… and ${unlisted} more mistakes`);
  if (!checked.ok || mistakes.length > 0) return undefined;
  for (const warning of [...checked.warnings, ...findModelWarnings(checked.flow)])
    print('yellow', 'warning', warning);
  return checked.flow;
}

/** The models of the tenant are known if the environment configures them. */
function findModelWarnings(flow: Flow): readonly Warning[] {
  const { MODELS, MODEL_DEFAULT } = process.env;
  return MODELS === undefined ? [] : findUnknownModels(flow, parseTenantModels(MODELS, MODEL_DEFAULT));
}

/**
 * A duplicate name in an object, such as two nodes with the same id after a copy: JSON.parse keeps the last.
 */
const toMistake = ({ path, line }: RepeatedName): Mistake => ({
  pointer: pointerTo(path),
  detail: `this name is used twice in its object, again in line ${line}: the first value would be lost`,
});

function createPrinter(file: string, locate: Locate) {
  return (colour: 'yellow' | 'red', kind: string, { pointer, detail }: Mistake): void => {
    const label = styleText(colour, kind, { stream: process.stderr });
    const position = locate(parsePointer(pointer));
    const where = position ? ` (${formatPosition(file, position)})` : '';
    console.error(`${label} ${plainText(`${pointer || '(the flow)'}: ${detail}${where}`)}`);
  };
}
