// Messages for the issues that zod finds, for people who write JSON and do not know zod: "must be an object, not
// a list". The API, A2A and the check of flows all use them.
import type * as z from 'zod';

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  null: 'null',
  JSON: 'JSON',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  undefined: 'nothing',
};

const formatNames: Readonly<Record<string, string>> = {
  url: 'a URL',
  uuid: 'a UUID',
  email: 'an email address',
  datetime: 'a time such as "2027-01-31T09:00:00Z"',
};

/**
 * The error map for `safeParse`. A message that a schema brings along takes precedence. `member` is what an unknown
 * member is called.
 */
export function describeIssue(issue: z.core.$ZodRawIssue, member: 'field' | 'parameter' = 'field'): string {
  switch (issue.code) {
    case 'invalid_type':
      return describeType(nameType(issue.expected), issue.input);
    case 'invalid_value':
      return describeValues(issue.values);
    case 'too_small':
      return describeBound(issue.origin, issue.minimum, issue.inclusive ? atLeast : moreThan);
    case 'too_big':
      return describeBound(issue.origin, issue.maximum, issue.inclusive ? atMost : lessThan);
    case 'invalid_format':
      return describeFormat(issue);
    case 'invalid_union':
      return describeUnion(issue);
    case 'unrecognized_keys':
      return describeUnknown(member, issue);
    default:
      return 'is not valid';
  }
}

const describeValues = (values: readonly z.core.util.Primitive[]): string =>
  `must be ${values.length > 1 ? 'one of ' : ''}${values.map((value) => JSON.stringify(value)).join(', ')}`;

function describeUnknown(
  member: string,
  { keys, inst }: z.core.$ZodRawIssue<z.core.$ZodIssueUnrecognizedKeys>,
): string {
  const known = findFields(inst);
  if (known) knownFields.set(keys, known);
  return known
    ? `unknown ${member}: expected ${known.length > 1 ? 'one of ' : ''}${known.join(', ') || 'none'}`
    : `unknown ${member}`;
}

/** The fields that an object has, by the list of its unknown ones: zod drops the schema from the issue. */
const knownFields = new WeakMap<readonly string[], readonly string[]>();

/** Returns undefined for a schema that is not an object's, such as that of a map with a fixed set of keys. */
function findFields(schema: unknown): readonly string[] | undefined {
  const { def } = (schema as z.core.$ZodTypes | undefined)?._zod ?? {};
  return def?.type === 'object' ? Object.keys(def.shape) : undefined;
}

const describeFormat = ({
  format,
  pattern,
}: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidStringFormat>): string => {
  const name = formatNames[format];
  if (name !== undefined) return `must be ${name}`;
  return pattern === undefined ? `must be of the format ${format}` : `must match ${pattern}`;
};

const nameType = (type: string) => typeNames[type] ?? type;

const describeType = (wanted: string, input: unknown) =>
  input === undefined ? `is required: must be ${wanted}` : `must be ${wanted}, not ${nameValue(input)}`;

function nameValue(input: unknown): string {
  if (input === null) return 'null';
  if (typeof input === 'number' && !Number.isInteger(input))
    return Number.isFinite(input) ? 'a fraction' : String(input);
  return typeNames[Array.isArray(input) ? 'array' : typeof input] ?? typeof input;
}

const units: Readonly<Record<string, string>> = { string: 'character', array: 'item' };

interface Comparison {
  readonly length: string;
  readonly value: string;
}
const atLeast: Comparison = { length: 'at least', value: 'at least' };
const moreThan: Comparison = { length: 'more than', value: 'above' };
const atMost: Comparison = { length: 'at most', value: 'at most' };
const lessThan: Comparison = { length: 'less than', value: 'below' };

function describeBound(origin: string, limit: number | bigint, { length, value }: Comparison): string {
  const unit = units[origin];
  if (unit === undefined) return `must be ${value} ${limit}`;
  return `must have ${length} ${limit} ${unit}${Number(limit) === 1 ? '' : 's'}`;
}

/**
 * Names the values of the member that distinguishes the options, or the types of all options, unless the value has the
 * type of one of them, whose own issues then say more.
 */
function describeUnion(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  const { errors, input, discriminator } = issue;
  if (typeof discriminator === 'string' && Array.isArray(issue.options)) {
    const isMissing = !(discriminator in Object(input));
    return `${isMissing ? 'is required: ' : ''}${describeValues(issue.options)}`;
  }
  const wanted = errors.flatMap(([issue]) =>
    issue?.code === 'invalid_type' && issue.path.length === 0 ? [nameType(issue.expected)] : [],
  );
  if (wanted.length === 0 || wanted.length < errors.length) return matchesNoOption;
  return describeType([...new Set(wanted)].join(' or '), input);
}

const matchesNoOption = 'must have one of the forms that the documentation of this field shows';

export interface DescribedIssue {
  readonly path: readonly PropertyKey[];
  readonly detail: string;
  /** For an unknown member: the known ones. */
  readonly fields?: readonly string[];
}

/**
 * One description for each mistake. An issue with several unknown members yields one for each of them, the issue of
 * a union those of the option that was meant, and the issue of a key what is wrong with the key.
 */
export function* describeIssues(issues: readonly z.core.$ZodIssue[]): Iterable<DescribedIssue> {
  for (const issue of issues) {
    const { path, message: detail } = issue;
    const inner = issue.code === 'invalid_key' ? issue.issues : findMeantOption(issue);
    if (inner) for (const one of describeIssues(inner)) yield { ...one, path: [...path, ...one.path] };
    else if (issue.code === 'unrecognized_keys') {
      const fields = knownFields.get(issue.keys);
      for (const key of issue.keys) yield { path: [...path, key], detail, ...(fields && { fields }) };
    } else yield { path, detail };
  }
}

/** Returns undefined for a union with a message of its own. */
function findMeantOption(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] | undefined {
  if (issue.code !== 'invalid_union' || issue.message !== matchesNoOption) return undefined;
  return issue.errors.find(
    (option) => !option.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
  );
}
