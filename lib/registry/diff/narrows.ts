// Whether one JSON Schema may refuse a value that another accepts, over the keywords that flows may use. The
// rule is conservative: what is not certain to be accepted counts as refused.
import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '#lib/json/json.ts';

/**
 * Whose values are compared. Callers send the input and are taken to send declared members only. They read the
 * output and are taken to ignore members that they do not know, but not to do without those that they know.
 */
export type Direction = 'input' | 'output';

/** Whether `to` may refuse a value that `from` accepts; a schema that is missing accepts all. */
function narrows(from: Json | undefined, to: Json | undefined, direction: Direction): boolean {
  if (to === undefined || to === true || from === false || isDeepStrictEqual(from, to)) return false;
  if (!isObject(to)) return true;
  const before = isObject(from) ? from : {};
  return narrowsKeywords(before, to, direction) || narrowsMembers(before, to, direction);
}

/** As `narrows`, without the members that the schemas declare or require. */
export const narrowsKeywords = (from: JsonObject, to: JsonObject, direction: Direction): boolean =>
  Object.entries(keywordRules).some(([keyword, rule]) => {
    const [was, now] = [own(from, keyword), own(to, keyword)];
    // Without `prefixItems`, `items` is for the first items too.
    if (now === undefined) return keyword === 'prefixItems' && was !== undefined;
    return !isDeepStrictEqual(was, now) && rule(was, now, { from, direction });
  });

function narrowsMembers(from: JsonObject, to: JsonObject, direction: Direction): boolean {
  const [before, after] = [readMembers(from), readMembers(to)];
  const others = { from: from.additionalProperties, to: to.additionalProperties, direction };
  return listNames(before, after).some((name) => narrowsMember(before.get(name), after.get(name), others));
}

/** What a schema says about one member of an object. */
export interface Member {
  /** Left out if the member is only required. */
  readonly schema?: Json;
  readonly required: boolean;
}
type Members = ReadonlyMap<string, Member>;

/** `additionalProperties` of both schemas. */
interface OtherMembers {
  readonly from: Json | undefined;
  readonly to: Json | undefined;
  readonly direction: Direction;
}

export function narrowsMember(
  from: Member | undefined,
  to: Member | undefined,
  others: OtherMembers,
): boolean {
  if (to?.required && !from?.required) return true;
  const { direction } = others;
  if (to?.schema === undefined) return closes(from?.schema, others.to, { from: {}, direction });
  if (from) return narrows(from.schema, to.schema, direction);
  // Callers may have sent it as one of the others, if these had a schema.
  return direction === 'output' || (isObject(others.from) && narrows(others.from, to.schema, direction));
}

/** The members that the schema declares or requires. */
export function readMembers({ properties, required }: JsonObject): Members {
  const names = new Set(Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []);
  const declared = isObject(properties) ? Object.entries(properties) : [];
  return new Map<string, Member>([
    ...[...names].map((name) => [name, { required: true }] as const),
    ...declared.map(([name, schema]) => [name, { schema, required: names.has(name) }] as const),
  ]);
}

export const listNames = (from: Members, to: Members): string[] =>
  [...new Set([...from.keys(), ...to.keys()])].sort();

interface Context {
  readonly from: JsonObject;
  readonly direction: Direction;
}

/** Whether the value `to` of a keyword, which differs from `from`, may refuse more. */
type KeywordRule = (from: Json | undefined, to: Json | undefined, context: Context) => boolean;

const always: KeywordRule = () => true;
const rises: KeywordRule = (from, to) => !(typeof from === 'number' && Number(to) <= from);
const falls: KeywordRule = (from, to) => !(typeof from === 'number' && Number(to) >= from);
const risesFromZero: KeywordRule = (from = 0, to, context) => rises(from, to, context);
const inner: KeywordRule = (from, to, { direction }) => narrows(from, to, direction);

/** Values are compared by their text: the same value written otherwise counts as another. */
const losesAlternative: KeywordRule = (from, to) => {
  if (!Array.isArray(from) || !Array.isArray(to)) return true;
  const kept = new Set(to.map((value) => JSON.stringify(value)));
  return from.some((value) => !kept.has(JSON.stringify(value)));
};

/** A constant is an enum of one value. */
const losesValue: KeywordRule = (_from, to, context) => {
  const { enum: values, const: value } = context.from;
  const accepted = value === undefined ? values : [value];
  return losesAlternative(accepted, to, context);
};

const losesType: KeywordRule = (from, to) => {
  const accepted = new Set(asList(to));
  if (from === undefined) return true;
  return asList(from).some((type) => !accepted.has(type) && !(type === 'integer' && accepted.has('number')));
};

const closes: KeywordRule = (from, to, { direction }) =>
  to === false ? direction === 'input' : narrows(from, to, direction);

/** Every keyword that constrains a value but `properties` and `required`, which are compared by member. */
export const keywordRules: Readonly<Record<string, KeywordRule>> = {
  type: losesType,
  enum: losesValue,
  const: (from, to, context) => losesValue(from, asList(to), context),
  additionalProperties: closes,
  propertyNames: inner,
  minProperties: risesFromZero,
  maxProperties: falls,
  items: inner,
  prefixItems: always,
  minItems: risesFromZero,
  maxItems: falls,
  uniqueItems: (_from, to) => to === true,
  contains: always,
  minLength: risesFromZero,
  maxLength: falls,
  pattern: always,
  minimum: rises,
  maximum: falls,
  exclusiveMinimum: rises,
  exclusiveMaximum: falls,
  multipleOf: always,
  anyOf: losesAlternative,
  oneOf: always,
  allOf: always,
  not: always,
  $ref: always,
};

const asList = (value: Json | undefined): readonly Json[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];
const own = (object: JsonObject, name: string): Json | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;
const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
