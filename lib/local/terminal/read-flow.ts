// Reads a flow from a file and checks it, and tells a person what is wrong with it.
import { readFile } from 'node:fs/promises';
import { styleText } from 'node:util';
import type { Mistake } from '#lib/flow/check/mistake.ts';
import { checkFlow } from '#lib/flow/check.ts';
import type { Flow } from '#lib/flow/flow.ts';
import { plainText } from './plain-text.ts';

/** Mistakes and warnings go to stderr. Undefined when there are mistakes. */
export async function readCheckedFlow(file: string): Promise<Flow | undefined> {
  const checked = checkFlow(await readJsonFile(file));
  if (checked.ok) {
    for (const warning of checked.warnings) say('yellow', 'warning', warning);
    return checked.flow;
  }
  for (const mistake of checked.errors) say('red', 'mistake', mistake);
  return undefined;
}

function say(colour: 'yellow' | 'red', kind: string, { pointer, detail }: Mistake): void {
  const label = styleText(colour, kind, { stream: process.stderr });
  console.error(`${label} ${plainText(`${pointer || '(the flow)'}: ${detail}`)}`);
}

/** What it throws is for people: which file, and what is wrong with it. */
export async function readJsonFile(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new Error(`${file} cannot be read (${code}).`);
  });
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
