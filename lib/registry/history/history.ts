// One page of a row's history, for those who may read the row. Of a deleted row nobody may: it is kept, but not to be reached from outside.
import * as z from 'zod';
import type { Caller } from '#lib/access/caller.ts';
import { ServiceError } from '#lib/errors.ts';
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
  const before = query.cursor === undefined ? row.version + 1 : readCursor(query.cursor, id);
  const found = await queryHistory(id, before, limit + 1);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, ...(found.length > limit && last && { nextCursor: writeCursor(last, id) }) };
}

/** Not secret: a forged cursor cannot leave the row's own history. */
const cursorContent = z.tuple([z.literal(1), z.string(), z.int().positive().max(99_999_999)]);

const writeCursor = (last: HistoryEntry, id: string): string =>
  Buffer.from(JSON.stringify([1, id, last.version])).toString('base64url');

function readCursor(cursor: string, id: string): number {
  const parsed = cursorContent.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (parsed.success && parsed.data[1] === id) return parsed.data[2];
  const detail = "must be the nextCursor of an answer about the same row's history";
  throw new ServiceError('validation_failed', { errors: [{ pointer: '/query/cursor', detail }] });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
