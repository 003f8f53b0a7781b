// Parses path, query and body with the route's schemas, and refuses with every mistake at once.
import * as z from 'zod';
import { type FieldError, ServiceError } from '#lib/errors.ts';
import { faultIn } from '#lib/json-fault.ts';
import { pointerTo } from '#lib/json-pointer.ts';
import { plainWords } from '#lib/plain-words.ts';
import { fieldErrors } from './problem.ts';
import type { Route } from './route.ts';

export interface RawInput {
  readonly params: Readonly<Record<string, string | undefined>>;
  /** Every value of every name, as they came. */
  readonly query: Readonly<Record<string, readonly string[] | undefined>>;
  readonly body: unknown;
}

export interface Input {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

export function validate(route: Route, raw: RawInput): Input {
  const mistakes: FieldError[] = [];
  const params = route.params ? check('path', route.params, raw.params, mistakes) : undefined;
  const query = checkQuery(route, raw, mistakes);
  const body = route.body ? checkBody(route.body, raw.body, mistakes) : undefined;
  if (mistakes.length > 0) throw new ServiceError('validation_failed', { errors: mistakes });
  return { params, query, body };
}

function check(
  root: 'path' | 'query' | 'body',
  schema: z.ZodType,
  value: unknown,
  mistakes: FieldError[],
): unknown {
  const parsed = schema.safeParse(value, { error: plainWords });
  if (parsed.success) return parsed.data;
  mistakes.push(...fieldErrors(root, parsed.error));
  return undefined;
}

function checkQuery(route: Route, raw: RawInput, mistakes: FieldError[]): unknown {
  // Not by assignment, which would lose a parameter named `__proto__` instead of having it refused.
  const given = Object.entries(raw.query).map(([name, values = []]) => {
    const isList = takesList(route.query, name);
    if (values.length > 1 && !isList)
      mistakes.push({ pointer: pointerTo(['query', name]), detail: 'must be given once' });
    if (!route.query)
      mistakes.push({ pointer: pointerTo(['query', name]), detail: 'is not a known parameter' });
    return [name, isList ? values : (values[0] ?? '')] as const;
  });
  return route.query ? check('query', route.query, Object.fromEntries(given), mistakes) : undefined;
}

/** A parameter whose schema is an array may be given several times. */
function takesList(query: z.ZodType | undefined, name: string): boolean {
  if (!(query instanceof z.ZodObject) || !Object.hasOwn(query.shape, name)) return false;
  const schema: unknown = query.shape[name];
  return (schema instanceof z.ZodOptional ? schema.unwrap() : schema) instanceof z.ZodArray;
}

function checkBody(schema: z.ZodType, body: unknown, mistakes: FieldError[]): unknown {
  if (body === null || body === undefined) {
    mistakes.push({ pointer: '/body', detail: 'must be a JSON object' });
    return undefined;
  }
  const fault = faultIn(body, reachesForPrototypes);
  if (fault) {
    mistakes.push({ pointer: pointerTo(['body', ...fault.path]), detail: fault.detail });
    return undefined;
  }
  return check('body', schema, body, mistakes);
}

/** Where code of ours or of a package copied such members, objects would get them that nobody sent. */
const reachesForPrototypes = (key: string, member: unknown): boolean =>
  key === '__proto__' ||
  (key === 'constructor' &&
    typeof member === 'object' &&
    member !== null &&
    Object.hasOwn(member, 'prototype'));
