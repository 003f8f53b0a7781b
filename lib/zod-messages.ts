// What zod finds, in words for people who write JSON and know no zod: "must be an object, not a list". Every
// door that names fields says it with these.
import type * as z from 'zod';

const typeWords: Readonly<Record<string, string>> = {
  ...{ string: 'text', number: 'a number', int: 'a whole number', boolean: 'true or false', null: 'null' },
  ...{
    JSON: 'JSON',
    array: 'a list',
    tuple: 'a list',
    object: 'an object',
    record: 'an object',
    undefined: 'nothing',
  },
};

const formatWords: Readonly<Record<string, string>> = {
  ...{ url: 'a URL', uuid: 'a UUID', email: 'an email address' },
  datetime: 'a time such as "2027-01-31T09:00:00Z"',
};

/** For `safeParse`. What a schema says in words of its own stays. */
export function plainWords(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeFault(wordOfType(issue.expected), issue.input);
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'too_small':
      return bound(
        issue.origin,
        issue.minimum,
        issue.inclusive ? ['at least', 'at least'] : ['more than', 'above'],
      );
    case 'too_big':
      return bound(
        issue.origin,
        issue.maximum,
        issue.inclusive ? ['at most', 'at most'] : ['less than', 'below'],
      );
    case 'invalid_format':
      return formatFault(issue);
    case 'invalid_union':
      return unionFault(issue);
    case 'unrecognized_keys':
      return unknownMembers(issue.keys);
    default:
      return 'is not valid';
  }
}

/** Only the first of them: a request may bring as many as fit into it. */
const unknownMembers = (names: readonly string[]): string =>
  `has unknown members: ${names.slice(0, namesShown).join(', ')}${names.length > namesShown ? ', …' : ''}`;
const namesShown = 20;

const formatFault = ({
  format,
  pattern,
}: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidStringFormat>): string => {
  const word = formatWords[format];
  if (word !== undefined) return `must be ${word}`;
  return pattern === undefined ? `must be of the format ${format}` : `must match ${pattern}`;
};

const wordOfType = (type: string) => typeWords[type] ?? type;

const typeFault = (wanted: string, input: unknown) =>
  input === undefined ? `is required: must be ${wanted}` : `must be ${wanted}, not ${wordOf(input)}`;

function wordOf(input: unknown): string {
  if (input === null) return 'null';
  if (typeof input === 'number' && !Number.isInteger(input))
    return Number.isFinite(input) ? 'a fraction' : String(input);
  return typeWords[Array.isArray(input) ? 'array' : typeof input] ?? typeof input;
}

const units: Readonly<Record<string, string>> = { string: 'character', array: 'item' };

/** The first words are for lengths, the second for numbers. */
function bound(origin: string, limit: number | bigint, [length, number]: readonly [string, string]): string {
  const unit = units[origin];
  if (unit === undefined) return `must be ${number} ${limit}`;
  return `must have ${length} ${limit} ${unit}${Number(limit) === 1 ? '' : 's'}`;
}

/** Names the types of all members, unless one of them fits so far that its own issues say more. */
function unionFault({ errors, input }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  const wanted = errors.flatMap(([issue]) =>
    issue?.code === 'invalid_type' && issue.path.length === 0 ? [wordOfType(issue.expected)] : [],
  );
  if (wanted.length === 0 || wanted.length < errors.length) return ofAnotherKind;
  return typeFault([...new Set(wanted)].join(' or '), input);
}

const ofAnotherKind = 'is of no kind that may stand here';

/**
 * Replaces the issue of a union by the issues of the member that was meant, and the issue of a key by what is
 * wrong with the key.
 */
export function plainIssues(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  return issues.flatMap((issue) => {
    const inside = issue.code === 'invalid_key' ? issue.issues : meantKind(issue);
    if (!inside) return [issue];
    return plainIssues(inside).map((one) => ({ ...one, path: [...issue.path, ...one.path] }));
  });
}

/** Undefined where the union has a message of its own. */
function meantKind(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] | undefined {
  if (issue.code !== 'invalid_union' || issue.message !== ofAnotherKind) return undefined;
  return issue.errors.find(
    (kind) => !kind.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
  );
}
