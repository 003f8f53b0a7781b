// The flows of events/flows as a test gets them: checked, and refused with their mistakes.
import { readdirSync, readFileSync } from 'node:fs';
import { checkFlow } from '#lib/flow/check/check-flow.ts';
import type { Flow } from '#lib/flow/definition/flow.ts';

const folder = new URL('../../../events/flows/', import.meta.url);

export const sampleNames = readdirSync(folder)
  .map((file) => file.replace(/\.json$/, ''))
  .sort();

/** As it is written. */
export const writtenSample = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));

export function sample(name: string): Flow {
  const checked = checkFlow(writtenSample(name));
  if (checked.ok) return checked.flow;
  throw new Error(JSON.stringify(checked.errors, null, 2));
}
