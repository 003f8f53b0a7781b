// Turns what zod finds into mistakes with a pointer each: one for every unknown field, and words that say what was expected.
import type * as z from 'zod';
import { boundedParse } from '#lib/json/bounded-parse.ts';
import { pointerTo } from '#lib/json/pointer.ts';
import { mistakesMax } from '#lib/mistakes.ts';
import { plainIssues, plainWords } from '#lib/zod-messages.ts';
import { keepsShape } from '../format/notes.ts';
import { addUpTo } from './check-budget.ts';
import type { Mistake } from './mistake.ts';

interface Mistakes {
  /** The first of them. */
  readonly mistakes: readonly Mistake[];
  /** How many more there are. */
  readonly unlisted: number;
}

export type Shape<T> =
  | ({ readonly ok: true; readonly value: T } & Mistakes)
  | ({ readonly ok: false } & Mistakes);

export function readShape<T>(
  schema: z.ZodType<T>,
  value: unknown,
  path: readonly (string | number)[],
): Shape<T> {
  const result = boundedParse(schema, value, wording);
  if (result.success) return { ok: true, value: result.data, mistakes: [], unlisted: 0 };
  const { issues } = result;
  const mistakes: Mistake[] = [];
  for (const issue of plainIssues(issues.slice(0, mistakesMax)))
    addUpTo(mistakesMax, mistakes, mistakesOf(issue, path));
  const unlisted = Math.max(0, countOf(issues) - mistakesMax);
  return hasShape<T>(value, issues)
    ? { ok: true, value, mistakes, unlisted }
    : { ok: false, mistakes, unlisted };
}

type Issue = z.core.$ZodIssue;

const countOf = (issues: readonly Issue[]): number =>
  issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0);

/** No schema of the format changes a value, so that one whose mistakes are only in how its fields go together is what the schema would give. */
const hasShape = <T>(_value: unknown, issues: readonly Issue[]): _value is T => issues.every(keepsShape);

function mistakesOf(issue: Issue, path: readonly (string | number)[]): Mistake[] {
  const place = [...path, ...issue.path.map((step) => (typeof step === 'symbol' ? step.toString() : step))];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .slice(0, mistakesMax)
      .map((key) => ({ pointer: pointerTo([...place, key]), detail: issue.message }));
  }
  return [{ pointer: pointerTo(place), detail: issue.message }];
}

function wording(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'unrecognized_keys') return plainWords(issue);
  const known = knownFields(issue.inst);
  return known ? `unknown field: expected one of ${known.join(', ')}` : 'unknown field';
}

function knownFields(schema: unknown): string[] | undefined {
  if (typeof schema !== 'object' || schema === null || !('_zod' in schema)) return undefined;
  const { _zod } = schema;
  const def = typeof _zod === 'object' && _zod !== null && 'def' in _zod ? _zod.def : undefined;
  const shape = typeof def === 'object' && def !== null && 'shape' in def ? def.shape : undefined;
  return typeof shape === 'object' && shape !== null ? Object.keys(shape) : undefined;
}
