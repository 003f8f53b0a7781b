// The flows of events/flows as a test gets them: checked, and refused with their mistakes.
import { readdirSync, readFileSync } from 'node:fs';
import { type CheckedFlow, checkFlow } from '#lib/flow/check.ts';
import type { Flow } from '#lib/flow/flow.ts';

const folder = new URL('../../../events/flows/', import.meta.url);

export const sampleNames = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));

export const checkedSample = (name: string): CheckedFlow =>
  checkFlow(JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')));

export function sample(name: string): Flow {
  const checked = checkedSample(name);
  if (checked.ok) return checked.flow;
  throw new Error(JSON.stringify(checked.errors, null, 2));
}
