// One page of a row's history, for those who may read the row. Of a deleted row nobody may: it is kept, but not to be reached from outside.
import * as z from 'zod';
import type { Caller } from '#lib/access/caller.ts';
import { readCursor, sealOf, writeCursor } from '#lib/cursor.ts';
import { ownRow } from '../own-row.ts';
import type { HistoryEntry } from './entry.ts';
import { queryHistory } from './store.ts';

export interface HistoryQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

const limitDefault = 50;

export async function history(
  caller: Caller,
  id: string,
  query: HistoryQuery,
): Promise<{ items: HistoryEntry[]; nextCursor?: string }> {
  const row = await ownRow(caller, id);
  const limit = query.limit ?? limitDefault;
  const seal = sealOf(['history', caller.orgid, id]);
  const before = query.cursor === undefined ? row.version + 1 : readCursor(query.cursor, seal, place)[0];
  const found = await queryHistory(id, before, limit + 1);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, ...(found.length > limit && last && { nextCursor: writeCursor(seal, [last.version]) }) };
}

const place = z.tuple([z.int().positive().max(99_999_999)]);
