// Where a page of search results ended: the score and the id of its last hit, bound to the question and the caller.
import * as z from 'zod';
import type { Caller } from '#lib/access/caller.ts';
import { type CursorScope, readCursor, writeCursor } from '#lib/dynamo/cursor.ts';
import type { Ranked } from './rank.ts';
import { byRank } from './rank.ts';
import type { Hit, SearchQuery } from './search.ts';

interface Position {
  readonly score: number;
  readonly document: { readonly id: string };
}

const place = z.tuple([z.number(), z.string()]);

export const cursorAfter = async ({ row, score }: Hit, scope: CursorScope): Promise<string> =>
  await writeCursor(scope, [score, row.a2aregistryid]);

export async function positionOf(cursor: string, scope: CursorScope): Promise<Position> {
  const [score, id] = await readCursor(cursor, scope, place);
  return { score, document: { id } };
}

export const isAfter = (hit: Ranked, position: Position): boolean => byRank(hit, position) > 0;

export function searchScope(caller: Caller, query: SearchQuery): CursorScope {
  const { q, tag, input_mode, output_mode, status, visibility } = query;
  return { list: 'search', caller, query: { q, tag, input_mode, output_mode, status, visibility } };
}
