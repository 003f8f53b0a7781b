// The expectation of a test that repeats a run. What models have written, times and ids are compared by type, because
// they may change without a mistake.

import { redactedValue } from '#lib/flow/engine/log-preview.ts';
import { isList, isObject } from '#lib/flow/format/json-value.ts';
import { limits } from '#lib/flow/format/limits.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';

export type TestableEnd =
  | { readonly status: 'completed'; readonly response: JsonObject }
  | { readonly status: 'failed'; readonly code: string };

export interface Expected {
  /** The nodes outside of other nodes; undefined where they are not all known. */
  readonly path: readonly string[] | undefined;
  readonly modelTexts: readonly string[];
  /** Whether the test differs from the run by what was redacted. */
  readonly hasRedacted: boolean;
}

export function expectEnd(end: TestableEnd, expected: Expected): string {
  const clauses = [`status = ${literal(end.status)}`, ...expectPath(expected.path)];
  const about =
    end.status === 'failed' ? [`error.code = ${literal(end.code)}`] : expectResponse(end.response, expected);
  let length = clauses.join('').length + 100;
  const fitting = about.filter((clause) => {
    length += clause.length + ' and '.length;
    return length <= limits.expressionCharsMax;
  });
  return `{{ ${[...clauses, ...fitting].join(' and ')} }}`;
}

function expectPath(path: readonly string[] | undefined): string[] {
  if (!path) return [];
  const ids = literal([...new Set(path)]);
  const clause = `[path[$ in ${ids}]] = ${literal(path)}`;
  return clause.length <= clauseCharsMax ? [clause] : [];
}

/** Longer values are compared by type. */
const clauseCharsMax = 1_500;

function expectResponse(response: JsonObject, expected: Expected): string[] {
  const members = (value: JsonObject, path: string, depth: number): string[] =>
    Object.entries(value).flatMap(([name, member]) => {
      const at = `${path}.${quoted(name)}`;
      const isSteady = isSame(member, expected);
      const clause = `${at} = ${literal(member)}`;
      if (isSteady && clause.length <= clauseCharsMax) return [clause];
      if (isObject(member) && depth < depthMax) return members(member, at, depth + 1);
      return [`$type(${at}) = ${literal(typeOf(member))}`];
    });
  return members(response, 'response', 1);
}

const depthMax = 4;

/** Whether a test gives the same value: nothing in it is a text of a model, a time, an id or redacted. */
function isSame(value: Json, expected: Expected): boolean {
  if (isList(value)) return value.every((item) => isSame(item, expected));
  if (isObject(value))
    return (
      Object.values(value).every((member) => isSame(member, expected)) &&
      JSON.stringify(redactedValue(value)) === JSON.stringify(value)
    );
  if (expected.hasRedacted && value !== null) return typeof value === 'boolean';
  if (typeof value === 'number') return value < millisSince2001;
  if (typeof value !== 'string') return true;
  return !changing.test(value) && !expected.modelTexts.some((text) => value.includes(text));
}

/** A number such as `$millis()` gives. */
const millisSince2001 = 1e12;
/** A UUID, or a time with its date. */
const changing = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/i;

/** Of `$type`. */
function typeOf(value: Json): string {
  if (value === null) return 'null';
  return isList(value) ? 'array' : typeof value;
}

const quoted = (name: string): string =>
  /^[a-z_]\w*$/i.test(name) && !words.has(name) ? name : `\`${name}\``;
const words = new Set(['and', 'or', 'in', 'true', 'false', 'null']);

/** A value in an expression. */
function literal(value: Json | readonly Json[]): string {
  if (isList(value)) return `[${value.map(literal).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${literal(member)}`,
  );
  return members.length === 0 ? '{ }' : `{ ${members.join(', ')} }`;
}
