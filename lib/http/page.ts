// One page of a list as an answer: its items, and the way to the next page in the body and as a Link (RFC 8288), relative to the request.
import type { Answer } from './answer.ts';
import { digestHeaders, notModified } from './conditional.ts';

interface Page<T> {
  readonly items: readonly T[];
  /** Absent for the last. */
  readonly nextCursor?: string | undefined;
}

interface Body<T> {
  readonly items: T[];
  readonly nextCursor?: string;
}

type Value = string | number | boolean | undefined;
type Query = Readonly<Record<string, Value | readonly string[]>>;

export const pageOf = <T>(query: Query, page: Page<T>): Answer<Body<T>> => ({
  json: bodyOf(page),
  headers: linkOf(query, page),
});

interface Asked {
  readonly query: Query;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** With an ETag, and without a body for a caller who has this very page. */
export function taggedPage<T>({ query, headers: asked }: Asked, page: Page<T>): Answer<never> {
  const text = JSON.stringify(bodyOf(page));
  const headers = { ...digestHeaders(text), ...linkOf(query, page) };
  return notModified(asked, headers) ?? { text, contentType: 'application/json', headers };
}

const bodyOf = <T>({ items, nextCursor }: Page<T>): Body<T> => ({
  items: [...items],
  ...(nextCursor !== undefined && { nextCursor }),
});

function linkOf(query: Query, { nextCursor }: Page<unknown>): Readonly<Record<string, string>> {
  if (nextCursor === undefined) return {};
  const next = new URLSearchParams();
  for (const [name, values] of Object.entries({ ...query, cursor: nextCursor }))
    for (const value of [values].flat()) if (value !== undefined) next.append(name, String(value));
  return { link: `<?${next}>; rel="next"` };
}
