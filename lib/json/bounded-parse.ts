// `safeParse` for values from callers. zod reads every member and keeps an issue for each bad one: a list of
// a million members takes seconds and a gigabyte, and one of about 120,000 overflows the stack. So the
// members are counted first.
import * as z from 'zod';
import { built } from './built-schema.ts';

/**
 * Maximum number of members of all lists and maps together whose members a schema validates. Valid requests
 * stay far below.
 */
const membersMax = 100_000;

export type BoundedParse<T> =
  | { readonly success: true; readonly data: T }
  | { readonly success: false; readonly issues: readonly z.core.$ZodIssue[] };

export function boundedParse<S extends z.ZodType>(
  schema: S,
  value: unknown,
  error: z.core.$ZodErrorMap,
): BoundedParse<z.output<S>> {
  const path = oversized(schema, value, { members: membersMax }, []);
  if (path) return { success: false, issues: [tooMany(path)] };
  const parsed = schema.safeParse(value, { error });
  return parsed.success ? parsed : { success: false, issues: parsed.error.issues };
}

const tooMany = (path: Path): z.core.$ZodIssue => ({
  code: 'custom',
  path: [...path],
  message: `must have at most ${membersMax} fields and items, including those inside them`,
  input: undefined,
});

type Path = readonly PropertyKey[];

/** The number of members that are still allowed. */
interface Left {
  members: number;
}

/** The path of the list or map that exceeds the limit; undefined if none does. */
function oversized(schema: z.core.$ZodType, value: unknown, left: Left, path: Path): Path | undefined {
  if (!isObject(value)) return undefined;
  if (schema instanceof z.ZodLazy) return oversized(built(schema), value, left, path);
  const { def } = schema._zod as z.core.$ZodTypes['_zod'];
  switch (def.type) {
    case 'object':
      return oversizedMember(def.shape, value, left, path);
    case 'array':
      return Array.isArray(value) && !isBeyondOwnBound(def, value)
        ? oversizedList(value, def.element, left, path)
        : undefined;
    case 'record':
      return oversizedMap(def, value, left, path);
    case 'union':
      // zod tries each option on the same members.
      return findFirst(def.options, (option) => oversized(option, value, left, path));
    case 'pipe':
      return oversized(def.in, value, left, path) ?? oversized(def.out, value, left, path);
    case 'optional':
    case 'nullable':
    case 'default':
    case 'catch':
    case 'readonly':
      return oversized(def.innerType, value, left, path);
    default:
      return undefined;
  }
}

/** zod does not read the items of a list that is longer than its schema allows. */
const isBeyondOwnBound = ({ checks = [] }: z.core.$ZodArrayDef, list: readonly unknown[]): boolean =>
  checks.some(({ _zod: { def } }) => 'maximum' in def && list.length > Number(def.maximum));

function oversizedMember(shape: z.core.$ZodShape, value: object, left: Left, path: Path): Path | undefined {
  for (const [key, inner] of Object.entries(shape)) {
    const member: unknown = Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
    // Most members are scalars, which need no path.
    const found = isObject(member) ? oversized(inner, member, left, [...path, key]) : undefined;
    if (found) return found;
  }
  return undefined;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function oversizedMap(
  { valueType }: z.core.$ZodRecordDef,
  value: object,
  left: Left,
  path: Path,
): Path | undefined {
  const keys = Object.keys(value);
  left.members -= keys.length;
  if (left.members < 0) return path;
  return findFirst(keys, (key) => oversized(valueType, Reflect.get(value, key), left, [...path, key]));
}

function oversizedList(
  list: readonly unknown[],
  element: z.core.$ZodType,
  left: Left,
  path: Path,
): Path | undefined {
  left.members -= list.length;
  if (left.members < 0) return path;
  return findFirst(list, (item, index) => oversized(element, item, left, [...path, index]));
}

function findFirst<T>(
  items: readonly T[],
  find: (item: T, index: number) => Path | undefined,
): Path | undefined {
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found) return found;
  }
  return undefined;
}
