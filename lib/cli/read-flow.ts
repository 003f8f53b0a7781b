// Reads a flow from a file, checks it, and prints its mistakes and warnings.
import { readFile } from 'node:fs/promises';
import { styleText } from 'node:util';
import { checkFlow } from '#lib/flow/check/check-flow.ts';
import type { Mistake } from '#lib/flow/check/mistake.ts';
import type { Flow } from '#lib/flow/definition/flow.ts';
import { type RepeatedName, repeatedNames } from '#lib/json/duplicate-keys.ts';
import { pointerTo } from '#lib/json/pointer.ts';
import { plainText } from './plain-text.ts';

/** Prints mistakes and warnings to stderr. Undefined if there are mistakes. */
export async function readCheckedFlow(file: string): Promise<Flow | undefined> {
  const text = await readText(file);
  const checked = checkFlow(parse(file, text));
  const mistakes = [...repeatedNames(text).map(toMistake), ...(checked.ok ? [] : checked.errors)];
  for (const mistake of mistakes) print('red', 'mistake', mistake);
  const unlisted = checked.ok ? 0 : checked.total - checked.errors.length;
  if (unlisted > 0) console.error(`… and ${unlisted} more mistakes`);
  if (!checked.ok || mistakes.length > 0) return undefined;
  for (const warning of checked.warnings) print('yellow', 'warning', warning);
  return checked.flow;
}

/**
 * A duplicate name in an object, such as two nodes with the same id after a copy: JSON.parse keeps the last.
 */
const toMistake = ({ path, line }: RepeatedName): Mistake => ({
  pointer: pointerTo(path),
  detail: `this name is used twice in its object, again in line ${line}: the first value would be lost`,
});

function print(colour: 'yellow' | 'red', kind: string, { pointer, detail }: Mistake): void {
  const label = styleText(colour, kind, { stream: process.stderr });
  console.error(`${label} ${plainText(`${pointer || '(the flow)'}: ${detail}`)}`);
}

/** Errors name the file and what is wrong with it. */
export const readJsonFile = async (file: string): Promise<unknown> => parse(file, await readText(file));

/** Without the byte order mark that some editors write (RFC 8259, section 8.1). */
async function readText(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new Error(`${file} cannot be read (${code}).`);
  });
  return text.startsWith('\u{feff}') ? text.slice(1) : text;
}

function parse(file: string, text: string): unknown {
  if (text.trim() === '') throw new Error(`${file} is empty: expected JSON.`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
