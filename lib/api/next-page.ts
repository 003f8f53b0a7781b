// A page of a list as an answer: with the cursor to the next page in the body and in the Link header.
import type { Answer } from './answer.ts';
import { nextLink } from './next-link.ts';

interface Page<T> {
  readonly items: T[];
  readonly nextCursor: string | undefined;
}

export function pageOf<T>(
  query: Parameters<typeof nextLink>[0],
  { items, nextCursor }: Page<T>,
): Answer<{ items: T[]; nextCursor?: string }> {
  if (nextCursor === undefined) return { json: { items } };
  return { json: { items, nextCursor }, headers: { link: nextLink(query, nextCursor) } };
}
