// One page of a row's history, for those who may read the row. The history of a deleted row is kept, but
// nobody can read it through the API.
import * as z from 'zod';
import type { Caller } from '#lib/access/caller.ts';
import { readCursor, writeCursor } from '#lib/dynamo/cursor.ts';
import { inWorkspace } from '#lib/errors.ts';
import { ownRow } from '../row/own-row.ts';
import type { StoredRow } from '../row/stored-row.ts';
import type { HistoryEntry } from './entry.ts';
import { queryHistory } from './history-items.ts';

export interface HistoryQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

const limitDefault = 50;

export async function history(
  caller: Caller,
  id: string,
  query: HistoryQuery,
): Promise<HistoryPage & { readonly workspaceid: string }> {
  const row = await ownRow(caller, id);
  const page = await inWorkspace(row, readPage(caller, row, query));
  return { ...page, workspaceid: row.workspaceid };
}

interface HistoryPage {
  readonly items: HistoryEntry[];
  readonly nextCursor?: string;
}

async function readPage(caller: Caller, row: StoredRow, query: HistoryQuery): Promise<HistoryPage> {
  const id = row.a2aregistryid;
  const limit = query.limit ?? limitDefault;
  const scope = { list: 'history', caller, query: { id } };
  const [before] =
    query.cursor === undefined ? [row.version + 1] : await readCursor(query.cursor, scope, position);
  const found = await queryHistory(id, before, limit + 1);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  if (found.length <= limit || !last) return { items };
  return { items, nextCursor: await writeCursor(scope, [last.version]) };
}

const position = z.tuple([z.int().positive().max(99_999_999)]);
