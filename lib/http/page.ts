// One page of a list as an answer: its items, and the next page as a cursor in the body and as a Link header
// (RFC 8288) relative to the request.
import type { Answer } from './answer.ts';
import { digestHeaders, notModified } from './conditional.ts';

interface Page<T> {
  readonly items: readonly T[];
  /** Absent on the last page. */
  readonly nextCursor?: string | undefined;
}

interface Body<T> {
  readonly items: T[];
  readonly nextCursor?: string;
}

type Value = string | number | boolean | undefined;
type Query = Readonly<Record<string, Value | readonly string[]>>;

export const toPage = <T>(query: Query, page: Page<T>): Answer<Body<T>> => ({
  json: toBody(page),
  headers: linkHeader(query, page),
});

interface ListRequest {
  readonly query: Query;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** With an ETag; 304 for a caller who has this page already. */
export function toTaggedPage<T>({ query, headers: sent }: ListRequest, page: Page<T>): Answer<never> {
  const text = JSON.stringify(toBody(page));
  const headers = { ...digestHeaders(text), ...linkHeader(query, page) };
  return notModified(sent, headers) ?? { text, contentType: 'application/json', headers };
}

const toBody = <T>({ items, nextCursor }: Page<T>): Body<T> => ({
  items: [...items],
  ...(nextCursor !== undefined && { nextCursor }),
});

function linkHeader(query: Query, { nextCursor }: Page<unknown>): Readonly<Record<string, string>> {
  if (nextCursor === undefined) return {};
  const next = new URLSearchParams();
  for (const [name, values] of Object.entries({ ...query, cursor: nextCursor }))
    for (const value of [values].flat()) if (value !== undefined) next.append(name, String(value));
  return { link: `<?${next}>; rel="next"` };
}
