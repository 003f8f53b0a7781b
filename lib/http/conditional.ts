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
 * always correct. A date counts only without an entity tag (RFC 9110 §13.2.2).
 */
export function notModified(
  request: Headers,
  answer: Readonly<Record<string, string>>,
): Answer<never> | undefined {
  const known = request['if-none-match'];
  const isKnown =
    known === undefined
      ? isSince(request['if-modified-since'], answer['last-modified'])
      : answer.etag !== undefined && isListed(known, answer.etag);
  return isKnown ? { notModified: true, headers: answer } : undefined;
}

/**
 * Whether the caller takes no answer that the service itself has stored (RFC 9111 §5.2.1). A browser sends it when a page
 * is reloaded.
 */
export const wantsCurrent = (request: Headers): boolean =>
  /(^|[\s,])(no-cache|no-store|max-age=0)(?![\w-])/i.test(request['cache-control'] ?? '');

function isListed(known: string, etag: string): boolean {
  const tags: readonly string[] = known.match(/"[^"]*"/g) ?? [];
  return known.trim() === '*' || tags.includes(etag);
}

/** Only the preferred form of dates (RFC 9110 §5.6.7), which `Last-Modified` has too. */
function isSince(since: string | undefined, lastModified: string | undefined): boolean {
  if (since === undefined || lastModified === undefined) return false;
  const date = new Date(since);
  return since === httpDate(date) && date >= new Date(lastModified);
}

const httpDate = (date: Date) => (Number.isNaN(date.getTime()) ? undefined : date.toUTCString());

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
