// Conditional requests (RFC 9110 §13): the entity tags of answers, If-None-Match for reads, If-Match for
// changes.
import { createHash } from 'node:crypto';
import { formatEtag, type Versioned } from '#lib/dynamo/etag.ts';
import type { Answer } from './answer.ts';
import { readHeader } from './request-headers.ts';

type Headers = Readonly<Record<string, string | undefined>>;

/** Clients may store the answer, and must revalidate it before each use. */
const tagged = (tag: string) => ({ etag: `"${tag}"`, 'cache-control': 'private, no-cache' }) as const;

/** A strong validator: one version of a row has one representation, and no other row ever has its id. */
export const rowHeaders = ({ version }: { readonly version: number }) => tagged(`${version}`);

/** A strong validator for resources that may be deleted and created again under the same name. */
export const etagHeaders = (thing: Versioned) => tagged(formatEtag(thing));

/** For resources without a version. */
export const digestHeaders = (text: string) => {
  const digest = createHash('sha256').update(text).digest('base64url');
  return tagged(digest.slice(0, 22));
};

/**
 * 304 when the caller has this version, else undefined. A malformed header is ignored, since a full answer is
 * always correct.
 */
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

/**
 * No row has this version. Tags that the service has not issued and weak tags match nothing (RFC 9110
 * §13.1.1).
 */
const versionOfNoRow = 0;

/**
 * The version that If-Match demands of the row; undefined for any. A missing row is 404 with or without it.
 */
export function expectedVersion(headers: Headers): number | undefined {
  const expected = ifMatch(headers);
  if (expected === undefined || expected === '*') return undefined;
  return Number(/^"([1-9]\d{0,14})"$/.exec(expected)?.[1] ?? versionOfNoRow);
}

/** The header for resources with `etagHeaders`: one entity tag or `*`. */
export const ifMatch = (headers: Headers): string | undefined => readHeader('If-Match', headers);
