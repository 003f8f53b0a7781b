// Types and equality of JSON values as JSON Schema sees them (2020-12, sections 4.2.2 and 6.1.1).
import type { Json } from '#lib/json.ts';
import { isList, isObject } from '../json-value.ts';

export function isOfType(value: Json, name: Json): boolean {
  if (name === 'integer') return Number.isInteger(value);
  return kindOf(value) === name;
}

export function kindOf(value: Json): string {
  if (value === null) return 'null';
  return isList(value) ? 'array' : typeof value;
}

export function isEqual(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (isList(a))
    return isList(b) && a.length === b.length && a.every((item, index) => isEqual(item, b[index] ?? null));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key] ?? null, b[key] ?? null))
  );
}
