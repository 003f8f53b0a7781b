// Where a page of search results ended: the score and the id of its last hit, bound to the question and the caller.
import * as z from 'zod';
import type { Caller } from '#lib/access/caller.ts';
import { readCursor, sealOf, writeCursor } from '#lib/cursor.ts';
import type { Ranked } from './rank.ts';
import { byRank } from './rank.ts';
import type { Hit, SearchQuery } from './search.ts';

interface Position {
  readonly score: number;
  readonly document: { readonly id: string };
}

const place = z.tuple([z.number(), z.string()]);

export const cursorAfter = ({ row, score }: Hit, seal: string): string =>
  writeCursor(seal, [score, row.a2aregistryid]);

export function positionOf(cursor: string, seal: string): Position {
  const [score, id] = readCursor(cursor, seal, place);
  return { score, document: { id } };
}

export const isAfter = (hit: Ranked, position: Position): boolean => byRank(hit, position) > 0;

export function sealOfSearch({ id, orgid }: Caller, query: SearchQuery): string {
  const { q, tag, input_mode, output_mode, status, visibility } = query;
  return sealOf(['search', id, orgid, q, tag, input_mode, output_mode, status, visibility]);
}
