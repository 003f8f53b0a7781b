// `safeParse` for values of callers. zod looks at every member and keeps an issue for each bad one, so a list
// of a million takes seconds and a gigabyte, and one of some 120,000 overflows the stack. So members are
// counted before any is looked at.
import type * as z from 'zod';

/**
 * The members of all lists and maps together in which a schema looks at each member. No valid request comes
 * near.
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
  message: `must have fewer members: ${membersMax} at most, with those inside them`,
  input: undefined,
});

type Path = readonly PropertyKey[];

/** How many members may still be looked at. */
interface Left {
  members: number;
}

/** The path to the first list or map with which there are too many members; undefined where there is none. */
function oversized(schema: z.core.$ZodType, value: unknown, left: Left, path: Path): Path | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
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
      // Each kind is tried on the same members.
      return firstOf(def.options, (option) => oversized(option, value, left, path));
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

/** zod itself looks into no list that is longer than its schema allows. */
const isBeyondOwnBound = ({ checks = [] }: z.core.$ZodArrayDef, list: readonly unknown[]): boolean =>
  checks.some(({ _zod: { def } }) => 'maximum' in def && list.length > Number(def.maximum));

function oversizedMember(shape: z.core.$ZodShape, value: object, left: Left, path: Path): Path | undefined {
  return firstOf(Object.entries(shape), ([key, inner]) =>
    Object.hasOwn(value, key) ? oversized(inner, Reflect.get(value, key), left, [...path, key]) : undefined,
  );
}

function oversizedMap(
  { valueType }: z.core.$ZodRecordDef,
  value: object,
  left: Left,
  path: Path,
): Path | undefined {
  const keys = Object.keys(value);
  left.members -= keys.length;
  if (left.members < 0) return path;
  return firstOf(keys, (key) => oversized(valueType, Reflect.get(value, key), left, [...path, key]));
}

function oversizedList(
  list: readonly unknown[],
  element: z.core.$ZodType,
  left: Left,
  path: Path,
): Path | undefined {
  left.members -= list.length;
  if (left.members < 0) return path;
  return firstOf(list, (item, index) => oversized(element, item, left, [...path, index]));
}

function firstOf<T>(
  items: readonly T[],
  look: (item: T, index: number) => Path | undefined,
): Path | undefined {
  for (const [index, item] of items.entries()) {
    const found = look(item, index);
    if (found) return found;
  }
  return undefined;
}
