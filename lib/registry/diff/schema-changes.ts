// What differs between the schemas of two builds, for what callers send or for what they receive: one change
// for each member, and one for the rest of the schema.
import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '#lib/json/json.ts';
import type { Change } from './build-diff.ts';
import {
  type Direction,
  listNames,
  type Member,
  narrowsKeywords,
  narrowsMember,
  readMembers,
} from './narrows.ts';

interface Pair {
  readonly was: JsonObject | undefined;
  readonly now: JsonObject | undefined;
  readonly direction: Direction;
  /** Equal references may then mean different schemas. */
  readonly definitionsDiffer: boolean;
}

/** What the value is called that the schema describes. */
const valueNames = { input: 'user_variables', output: 'response' } as const;

export function schemaChanges(
  was: JsonObject | undefined,
  now: JsonObject | undefined,
  direction: Direction,
): Change[] {
  if (!was && !now) return [];
  const definitionsDiffer = !isDeepStrictEqual(was?.$defs, now?.$defs);
  const pair = { was, now, direction, definitionsDiffer };
  const [before, after] = [readMembers(was ?? {}), readMembers(now ?? {})];
  return [
    ...schemaChange(pair),
    ...listNames(before, after).flatMap((name) =>
      memberChange(name, before.get(name), after.get(name), pair),
    ),
  ];
}

/** The change of what is said about the whole value: it appears, it goes, or its keywords differ. */
function schemaChange({ was, now, direction, definitionsDiffer }: Pair): Change[] {
  const [before, after] = [withoutMembers(was), withoutMembers(now)];
  const members = keywordsThatDiffer(before, after);
  const refers = definitionsDiffer && (hasReference(before) || hasReference(after));
  if (was && now && members.length === 0 && !refers) return [];
  const [from, to] = inDirection(direction, before, after);
  return [
    {
      name: valueNames[direction],
      change: changeOf(was, now),
      breaking: refers || narrowsKeywords(from, to, direction),
      ...(was && now && members.length > 0 && { members }),
    },
  ];
}

function memberChange(
  name: string,
  before: Member | undefined,
  after: Member | undefined,
  { was, now, direction, definitionsDiffer }: Pair,
): Change[] {
  const refers = definitionsDiffer && (hasReference(before?.schema) || hasReference(after?.schema));
  if (isDeepStrictEqual(before, after) && !refers) return [];
  const [from, to] = inDirection(direction, before, after);
  const [ofFrom, ofTo] = inDirection(direction, was?.additionalProperties, now?.additionalProperties);
  const others = { from: ofFrom, to: ofTo, direction };
  const members =
    isObject(before?.schema) && isObject(after?.schema)
      ? keywordsThatDiffer(before.schema, after.schema)
      : [];
  return [
    {
      name: `${valueNames[direction]}.${name}`,
      change: changeOf(before, after),
      breaking: (refers && before !== undefined) || narrowsMember(from, to, others),
      ...(before && { was: label(before) }),
      ...(after && { now: label(after) }),
      ...(members.length > 0 && { members }),
    },
  ];
}

/** As `from` and `to` of a comparison: the new build reads old input, and old callers read new output. */
const inDirection = <T>(direction: Direction, was: T, now: T): readonly [T, T] =>
  direction === 'input' ? [was, now] : [now, was];

function label({ schema, required }: Member): string {
  const type = isObject(schema) ? schema.type : undefined;
  const types = type === undefined ? 'any value' : [type].flat().join(' or ');
  return required ? `${types}, required` : types;
}

const keywordsThatDiffer = (was: JsonObject, now: JsonObject): string[] =>
  [...new Set([...Object.keys(was), ...Object.keys(now)])]
    .sort()
    .filter((keyword) => !isDeepStrictEqual(was[keyword], now[keyword]));

/** The value is an object whether its schema says so or not. */
function withoutMembers(schema: JsonObject = {}): JsonObject {
  const { properties, required, $defs, ...rest } = schema;
  return { type: 'object', ...rest };
}

const changeOf = (was: object | undefined, now: object | undefined): Change['change'] =>
  was === undefined ? 'added' : now === undefined ? 'removed' : 'changed';

/** A property of that name counts as a reference too. */
const hasReference = (schema: Json | undefined): boolean =>
  schema !== undefined && JSON.stringify(schema).includes('"$ref"');

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
