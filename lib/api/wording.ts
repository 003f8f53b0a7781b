// What is wrong with a member of a request, in words for those who wrote the request. What a schema says itself counts before this.
import type * as z from 'zod';

/** For zod; undefined leaves it to zod's own words. */
export function inOurWords(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${kinds[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return mustBe(issue.values.map((value) => JSON.stringify(value)));
    case 'invalid_key':
      return issue.issues[0] && `has a name that is not taken: it ${issue.issues[0].message}`;
    case 'invalid_format':
      return issue.pattern === undefined ? undefined : `must match ${issue.pattern}`;
    case 'too_small':
      return bound(issue.origin, 'at least', issue.minimum);
    case 'too_big':
      return bound(issue.origin, 'at most', issue.maximum);
    default:
      return undefined;
  }
}

const kinds: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'text',
};

const mustBe = (values: readonly string[]): string =>
  `must be ${values.length > 1 ? 'one of ' : ''}${values.join(', ')}`;

const counted: Readonly<Record<string, string>> = { string: 'character', array: 'item' };

/** All bounds of ours are inclusive. */
function bound(origin: string, which: string, limit: number | bigint): string {
  const what = counted[origin];
  if (!what) return `must be ${which} ${limit}`;
  return `must have ${which} ${limit} ${what}${Number(limit) === 1 ? '' : 's'}`;
}
