// Copies a value of unknown origin into plain JSON of bounded depth, without the keys that could reach a prototype.
import type { Json } from '#lib/json/json.ts';
import { addMistake, type MistakeList } from '#lib/mistakes.ts';
import { isHostileKey } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import type { Path } from './mistake.ts';

export const readJson = (input: unknown, mistakes: MistakeList): Json | undefined =>
  copyValue(input, [], mistakes);

/** Recursion is safe because it ends at the depth limit, which also ends a value that contains itself. */
function copyValue(value: unknown, path: Path, mistakes: MistakeList): Json | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value !== 'object') {
    addMistake(mistakes, path, 'expected a JSON value');
    return undefined;
  }
  if (path.length >= limits.flowDepth) {
    addMistake(mistakes, path, `expected at most ${limits.flowDepth} levels`);
    return undefined;
  }
  if (Array.isArray(value))
    return value.map((item, index) => copyValue(item, [...path, index], mistakes) ?? null);
  return copyObject(value, path, mistakes);
}

function copyObject(value: object, path: Path, mistakes: MistakeList): Json {
  const copy: Record<string, Json> = {};
  for (const key of Object.keys(value)) {
    const keyPath = [...path, key];
    if (isHostileKey(key)) {
      addMistake(mistakes, keyPath, `the key "${key}" is not allowed`);
      continue;
    }
    const item: unknown = Object.getOwnPropertyDescriptor(value, key)?.value;
    const clean = item === undefined ? undefined : copyValue(item, keyPath, mistakes);
    if (clean !== undefined) copy[key] = clean;
  }
  return copy;
}
