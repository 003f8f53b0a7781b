// Parses path, query and body with the route's schemas. A refusal counts all mistakes and lists the first
// ones.
import * as z from 'zod';
import { ServiceError } from '#lib/errors.ts';
import { boundedParse } from '#lib/json/bounded-parse.ts';
import { faultIn, reachesForPrototypes } from '#lib/json/guard.ts';
import { addMistake, type MistakeList, newMistakeList } from '#lib/mistakes.ts';
import { describeIssue } from '#lib/zod-messages.ts';
import { addIssues } from './problem.ts';
import type { Route } from './route.ts';

export interface RawInput {
  readonly params: Readonly<Record<string, string | undefined>>;
  /** All values of each name, as they were sent. */
  readonly query: Readonly<Record<string, readonly string[] | undefined>>;
  readonly body: unknown;
}

export interface Input {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

export function validate(route: Route, raw: RawInput): Input {
  const mistakes = newMistakeList();
  const params = route.params ? checkParams(route.params, raw.params, mistakes) : undefined;
  const query = checkQuery(route, raw, mistakes);
  const body = route.body ? checkBody(route.body, raw.body, mistakes) : undefined;
  const { listed: errors, total: errorsTotal } = mistakes;
  if (errorsTotal > 0) throw new ServiceError('validation_failed', { errors, errorsTotal });
  return { params, query, body };
}

function check(
  root: 'path' | 'query' | 'body',
  schema: z.ZodType,
  value: unknown,
  mistakes: MistakeList,
): unknown {
  const member = root === 'body' ? 'field' : 'parameter';
  const parsed = boundedParse(schema, value, (issue) => describeIssue(issue, member));
  if (parsed.success) return parsed.data;
  addIssues(mistakes, root, parsed.issues);
  return undefined;
}

function checkParams(schema: z.ZodType, params: RawInput['params'], mistakes: MistakeList): unknown {
  const fault = faultIn(params);
  if (!fault) return check('path', schema, params, mistakes);
  addMistake(mistakes, ['path', ...fault.path], fault.detail);
  return undefined;
}

function checkQuery(route: Route, raw: RawInput, mistakes: MistakeList): unknown {
  const fault = faultIn(raw.query);
  if (fault) {
    addMistake(mistakes, ['query', ...fault.path.slice(0, 1)], fault.detail);
    return undefined;
  }
  // Not by assignment, which would drop a parameter named `__proto__` instead of refusing it.
  const given = Object.entries(raw.query).map(([name, values = []]) => {
    const isList = takesList(route.query, name);
    if (values.length > 1 && !isList && !ignores(route.query, name))
      addMistake(mistakes, ['query', name], 'must be given once');
    return [name, isList ? values : (values[0] ?? '')] as const;
  });
  const query = check('query', route.query ?? noParameters, Object.fromEntries(given), mistakes);
  return route.query && query;
}

/** Most routes refuse parameters that they do not know; those of A2A ignore them. */
const ignores = (query: z.ZodType | undefined, name: string): boolean =>
  query instanceof z.ZodObject && query.def.catchall === undefined && !Object.hasOwn(query.shape, name);

const noParameters = z.strictObject({});

/** A parameter whose schema is an array may be given several times. */
function takesList(query: z.ZodType | undefined, name: string): boolean {
  if (!(query instanceof z.ZodObject) || !Object.hasOwn(query.shape, name)) return false;
  const schema: unknown = query.shape[name];
  return (schema instanceof z.ZodOptional ? schema.unwrap() : schema) instanceof z.ZodArray;
}

function checkBody(schema: z.ZodType, body: unknown, mistakes: MistakeList): unknown {
  const takesAnyJson = schema.safeParse(null).success;
  if (body === undefined || (body === null && !takesAnyJson)) {
    addMistake(mistakes, ['body'], takesAnyJson ? 'is empty: must be JSON' : 'must be a JSON object');
    return undefined;
  }
  const fault = faultIn(body, reachesForPrototypes);
  if (fault) {
    addMistake(mistakes, ['body', ...fault.path], fault.detail);
    return undefined;
  }
  return check('body', schema, body, mistakes);
}
