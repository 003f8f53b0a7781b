// Copies a value of unknown origin into plain JSON of bounded depth, without the keys that could reach a prototype.
import type { Json } from '#lib/json/json.ts';
import { pointerTo } from '#lib/json/pointer.ts';
import { isHostileKey } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { isFull } from './check-budget.ts';
import type { Mistake } from './mistake.ts';

export function readJson(input: unknown): {
  readonly value: Json | undefined;
  readonly mistakes: readonly Mistake[];
} {
  const mistakes: Mistake[] = [];
  return { value: copied(input, [], mistakes), mistakes };
}

type Path = readonly (string | number)[];

/** Recursion is safe because it ends at the depth limit, which also ends a value that contains itself. */
function copied(value: unknown, path: Path, mistakes: Mistake[]): Json | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value !== 'object') return refuse(mistakes, path, 'expected a JSON value');
  if (path.length >= limits.flowDepth)
    return refuse(mistakes, path, `expected at most ${limits.flowDepth} levels`);
  if (Array.isArray(value))
    return value.map((item, index) => copied(item, [...path, index], mistakes) ?? null);
  return copiedObject(value, path, mistakes);
}

function copiedObject(value: object, path: Path, mistakes: Mistake[]): Json {
  const copy: Record<string, Json> = {};
  for (const key of Object.keys(value)) {
    const inside = [...path, key];
    if (isHostileKey(key)) {
      refuse(mistakes, inside, `the key "${key}" is not allowed`);
      continue;
    }
    const item: unknown = Object.getOwnPropertyDescriptor(value, key)?.value;
    const clean = item === undefined ? undefined : copied(item, inside, mistakes);
    if (clean !== undefined) copy[key] = clean;
  }
  return copy;
}

function refuse(mistakes: Mistake[], path: Path, detail: string): undefined {
  if (!isFull(mistakes)) mistakes.push({ pointer: pointerTo(path), detail });
}
