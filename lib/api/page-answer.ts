// One page of a list as an answer: its items, and the way to the next page in the body and as a Link (RFC 8288).
import type { Answer } from './answer.ts';
import { digestHeaders, notModified } from './conditional.ts';
import { nextLink } from './next-link.ts';

interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | undefined;
}

interface Asked {
  readonly query: Parameters<typeof nextLink>[0];
  readonly headers: Readonly<Record<string, string | undefined>>;
}

export function pageAnswer<T>(
  asked: Asked,
  { items, nextCursor }: Page<T>,
  wire: (item: T) => object,
): Answer<never> {
  const text = JSON.stringify({ items: items.map(wire), ...(nextCursor !== undefined && { nextCursor }) });
  const headers = {
    ...digestHeaders(text),
    ...(nextCursor !== undefined && { link: nextLink(asked.query, nextCursor) }),
  };
  return notModified(asked.headers, headers) ?? { text, contentType: 'application/json', headers };
}
