// How the JSON of a value begins: for messages, which show no more of it and must not walk the rest.
import type { Json } from '#lib/json/json.ts';
import { truncate } from '#lib/truncate.ts';
import { isList, isObject } from '../format/json-value.ts';

/** The first `max` characters at most. */
export const jsonStart = (value: Json, max: number): string => truncate(start(value, max), max);

function start(value: Json, max: number): string {
  if (typeof value === 'string') return JSON.stringify(truncate(value, max));
  if (isList(value)) return `[${joined(value, max, (item, left) => start(item, left))}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = joined(
    Object.keys(value),
    max,
    (name, left) => `${JSON.stringify(truncate(name, max))}:${start(value[name] ?? null, left)}`,
  );
  return `{${members}}`;
}

function joined<T>(parts: readonly T[], max: number, show: (part: T, left: number) => string): string {
  let text = '';
  for (const [index, part] of parts.entries()) {
    if (text.length > max) break;
    text += `${index > 0 ? ',' : ''}${show(part, max - text.length)}`;
  }
  return text;
}
