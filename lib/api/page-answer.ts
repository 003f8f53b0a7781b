// One page of a list as an answer: its items, and the way to the next page in the body and as a Link (RFC 8288).
import type { Answer } from './answer.ts';
import { digestHeaders, notModified } from './conditional.ts';

interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | undefined;
}

type Value = string | number | boolean | undefined;
type Query = Readonly<Record<string, Value | readonly Value[]>>;

interface Asked {
  readonly query: Query;
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

/** Relative to the request. */
function nextLink(query: Query, cursor: string): string {
  const given = new URLSearchParams();
  for (const [name, values] of Object.entries({ ...query, cursor }))
    for (const value of [values].flat()) if (value !== undefined) given.append(name, String(value));
  return `<?${given}>; rel="next"`;
}
