// Conditional requests (RFC 9110 §13): the entity tags of answers, If-None-Match for reads, If-Match for changes.
import { createHash } from 'node:crypto';
import { formatEtag, type Versioned } from '#lib/dynamo/etag.ts';
import type { Answer } from './answer.ts';
import { readHeader } from './request-headers.ts';

type Headers = Readonly<Record<string, string | undefined>>;

/** Kept by clients, but asked for again before each use. */
const tagged = (tag: string) => ({ etag: `"${tag}"`, 'cache-control': 'private, no-cache' }) as const;

/** Strong, as a row of one version always reads the same: no other ever has its id. */
export const rowHeaders = ({ version }: { readonly version: number }) => tagged(`${version}`);

/** Strong as well, for what may be deleted and made anew under its name. */
export const etagHeaders = (thing: Versioned) => tagged(formatEtag(thing));

/** For what has no version of its own. */
export const digestHeaders = (text: string) => {
  const digest = createHash('sha256').update(text).digest('base64url');
  return tagged(digest.slice(0, 22));
};

/** 304 when the caller has this very version, or undefined. A malformed header is as none: the whole answer is never wrong. */
export function notModified(
  request: Headers,
  answer: Readonly<Record<string, string>>,
): Answer<never> | undefined {
  const known = request['if-none-match'];
  if (known === undefined || answer.etag === undefined) return undefined;
  const tags: readonly string[] = known.match(/"[^"]*"/g) ?? [];
  return known.trim() === '*' || tags.includes(answer.etag)
    ? { notModified: true, headers: answer }
    : undefined;
}

/** No row has it: a tag that is not of our making matches nothing, and a weak one never does (RFC 9110 §13.1.1). */
const versionOfNoRow = 0;

/** The version that the row must have, from If-Match; undefined when any will do. A row that is missing is so without it, too. */
export function expectedVersion(headers: Headers): number | undefined {
  const expected = ifMatch(headers);
  if (expected === undefined || expected === '*') return undefined;
  return Number(/^"([1-9]\d{0,14})"$/.exec(expected)?.[1] ?? versionOfNoRow);
}

/** As it was sent, for what has `etagHeaders`: one entity tag or `*`. */
export const ifMatch = (headers: Headers): string | undefined => readHeader('If-Match', headers);
