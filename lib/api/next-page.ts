// A page of a list as an answer: with the cursor to the next page in the body and in the Link header (RFC 8288).
import type { Answer } from './answer.ts';

interface Page<T> {
  readonly items: T[];
  readonly nextCursor: string | undefined;
}
type Query = Readonly<Record<string, string | number | undefined>>;

export function pageAnswer<T>(
  query: Query,
  { items, nextCursor }: Page<T>,
): Answer<{ items: T[]; nextCursor?: string }> {
  if (nextCursor === undefined) return { json: { items } };
  const given = Object.entries({ ...query, cursor: nextCursor }).flatMap(
    ([name, value]): [string, string][] => (value === undefined ? [] : [[name, String(value)]]),
  );
  // Relative to the request.
  return { json: { items, nextCursor }, headers: { link: `<?${new URLSearchParams(given)}>; rel="next"` } };
}
