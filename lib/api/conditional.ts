// Conditional requests (RFC 9110 §13): the entity tags of answers, If-None-Match for reads, If-Match for changes.
import { createHash } from 'node:crypto';
import type { Answer } from './answer.ts';
import { readHeader } from './request-headers.ts';

type Headers = Readonly<Record<string, string | undefined>>;

/** Strong, as a row of one version always reads the same. Kept by clients, but asked for again before each use. */
export const rowHeaders = ({ version }: { readonly version: number }) =>
  ({ etag: `"${version}"`, 'cache-control': 'private, no-cache' }) as const;

/** For what has no version of its own. */
export const digestHeaders = (text: string) => {
  const digest = createHash('sha256').update(text).digest('base64url');
  return { etag: `"${digest.slice(0, 22)}"`, 'cache-control': 'private, no-cache' } as const;
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

/** The version that the row must have, from If-Match; undefined when any will do. */
export function expectedVersion(headers: Headers): number | undefined {
  const given = readHeader('If-Match', headers);
  if (given === undefined || given === '*') return undefined;
  return Number(/^"([1-9]\d{0,14})"$/.exec(given)?.[1] ?? versionOfNoRow);
}
