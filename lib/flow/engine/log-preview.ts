// Short previews of values for the log and for messages. What looks like a secret is redacted, and the whole
// value never appears.
import type { Json } from '#lib/json/json.ts';
import { truncate } from '#lib/truncate.ts';
import { isList, isObject } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';

/** What stands in place of what looks like a secret. */
export const redactedText = '[redacted]';

const secretName =
  /pass(word|wd|phrase)?$|secret|token$|api[-_]?key|authorization|credential|cookie|private[-_]?key/i;
const secretText = new RegExp(
  [
    /\b(bearer|basic)\s+[\w+/=.~-]{8,}/,
    // Bounded: each of many beginnings would be read to the end of a long text.
    /\beyJ[\w-]{8,1000}\.[\w-]+(\.[\w-]*)?/,
    /\b(sk|pk|ghp|gho|xox[a-z])[-_][\w-]{12,}/,
    /\bwhsec_[\w+/=-]{8,}/,
    /\bAKIA[0-9A-Z]{16}\b/,
    /-----BEGIN [A-Z ]+-----/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
);

/**
 * The value that is assigned to such a name: in URLs and forms, in quotes, and in JSON, which may itself be a
 * string in JSON.
 */
const name = '(?:passw(?:or)?d|passphrase|pwd|secret|token|api[-_]?key)';
const assignments = [
  ['=', '[^\\s"\'&,;)\\]}]+'],
  ['="', '[^"]+'],
  ["='", "[^']+"],
  ['\\\\?"\\s*:\\s*\\\\?"', '[^"\\\\]+'],
];
const assignedSecret = new RegExp(
  assignments.map(([sign, value]) => `(?<=${name}${sign})${value}`).join('|'),
  'gi',
);

/**
 * What each text has in which one of the two above finds something. They are slow: one has many beginnings, the other
 * looks behind at every character.
 */
const mayHaveSecret =
  /bearer|basic|eyJ|(?:sk|pk|ghp|gho|xox[a-z])[-_]|whsec_|AKIA|-----BEGIN|pass|pwd|secret|token|api[-_]?key/i;

/**
 * At most `max` characters of the value's JSON; a string appears as it is. Reads no more of the value than
 * that.
 */
export function preview(value: Json, max: number = limits.previewCharsMax): string {
  const text =
    typeof value === 'string' ? truncate(value, max * 2) : JSON.stringify(sample(value, { left: max }));
  return shortened(redacted(text), max);
}

export const redacted = (text: string) =>
  mayHaveSecret.test(text)
    ? text.replace(secretText, redactedText).replace(assignedSecret, redactedText)
    : text;

/** The whole value with the same parts redacted. */
export function redactedValue(value: Json): Json {
  if (typeof value === 'string') return redacted(value);
  if (isList(value)) return value.map(redactedValue);
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, member]) => [
    key,
    secretName.test(key) && member !== null ? redactedText : redactedValue(member),
  ]);
  return Object.fromEntries(members);
}

/** Also removes half of a surrogate pair. */
export const shortened = (text: string, max: number) =>
  text.length > max ? `${truncate(text, max - 1)}…` : text;

/** Copies the beginning of the value; `left` is the number of characters that may still be shown. */
function sample(value: Json, budget: { left: number }): Json {
  budget.left -= 4;
  if (typeof value === 'string') {
    const shown = truncate(value, Math.max(0, budget.left) + 1);
    budget.left -= shown.length;
    return shown;
  }
  if (isList(value)) {
    const items: Json[] = [];
    for (const item of value) if (budget.left > 0) items.push(sample(item, budget));
    return items;
  }
  return isObject(value) ? sampledObject(value, budget) : value;
}

function sampledObject(value: { readonly [key: string]: Json }, budget: { left: number }): Json {
  // A member `__proto__`, which no value has, would be left out.
  const copy: Record<string, Json> = {};
  for (const key of Object.keys(value)) {
    if (budget.left <= 0) break;
    budget.left -= key.length;
    copy[truncate(key, 100)] = secretName.test(key) ? redactedText : sample(value[key] ?? null, budget);
  }
  return copy;
}
