// One page of a workspace's rows, or of its flows. What a page costs is in docs/data-model.md.
import * as z from 'zod';
import { type Caller, requireWorkspace } from '#lib/access/caller.ts';
import { type CursorBinding, readCursor, writeCursor } from '#lib/dynamo/cursor.ts';
import { ServiceError } from '#lib/errors.ts';
import { jsonBytes } from '#lib/json/size.ts';
import { buildStreams, type Filters, rowFilter } from './listing/filter.ts';
import { readAll, readPage } from './listing/page.ts';
import type { ListRead } from './listing/walk.ts';
import { flowsIndex, idAtPosition, listPosition, readRows } from './row/row-items.ts';
import { type StoredFlow, type StoredRow, storedFlow, storedRow } from './row/stored-row.ts';

interface Paging {
  readonly workspaceid: string;
  readonly orgid?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  /** False for the whole list at once. */
  readonly pagination?: boolean | undefined;
}

export interface ListQuery extends Paging, Filters {
  readonly sort?: 'created_at' | '-created_at' | undefined;
}

export interface Listed<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | undefined;
}

const limitDefault = 50;

export async function list(caller: Caller, query: ListQuery): Promise<Listed<StoredRow>> {
  requireOwnWorkspace(caller, query);
  const { workspaceid, flowid, sort = '-created_at' } = query;
  const { status, visibility, tag, input_mode, output_mode, q } = query;
  const filters = { status, visibility, tag, input_mode, output_mode, q };
  const scope = { list: 'rows', caller, query: { workspaceid, flowid, sort, ...filters } };
  return await answer(scope, query, rowFilter(query), {
    streams: buildStreams(caller.orgid, workspaceid, query),
    isDescending: sort === '-created_at',
    parse: (item) => storedRow.parse(item),
    answerBytes,
    load: async (positions) => {
      const rows = await readRows(positions.map(idAtPosition));
      return new Map([...rows.values()].map((row) => [listPosition(row), row]));
    },
  });
}

/** Flows that have builds, by their id. */
export async function listFlows(caller: Caller, query: Paging): Promise<Listed<StoredFlow>> {
  requireOwnWorkspace(caller, query);
  const scope = { list: 'flows', caller, query: { workspaceid: query.workspaceid } };
  return await answer(scope, query, (flow) => flow.build_count > 0, {
    streams: [[{ index: 'gsi1', key: flowsIndex(caller.orgid, query.workspaceid) }]],
    isDescending: false,
    parse: (item) => storedFlow.parse(item),
    load: async () => new Map(),
  });
}

/**
 * A body is a text in the JSON of a function's answer, in which a quote of a value has four bytes. Card and
 * configuration are stored as texts, whose JSON counts them so; the variables are not.
 */
const answerBytes = (row: StoredRow): number =>
  jsonBytes(row) + jsonBytes(JSON.stringify(row.env_variable ?? {}));

function requireOwnWorkspace(caller: Caller, { workspaceid, orgid }: Paging): void {
  requireWorkspace(caller, workspaceid);
  if (orgid !== undefined && orgid !== caller.orgid) {
    throw new ServiceError('permission_denied', {
      detail: 'orgid must be the organisation of the credentials.',
    });
  }
}

const position = z.tuple([z.string().min(1)]);

async function answer<T>(
  scope: CursorBinding,
  { pagination = true, limit = limitDefault, cursor }: Paging,
  isWanted: (value: T) => boolean,
  request: Omit<ListRead<T>, 'after' | 'readSize'>,
): Promise<Listed<T>> {
  const [after] = cursor === undefined ? [] : await readCursor(cursor, scope, position);
  // One more than the page, to know whether there is a next one.
  const read = { ...request, after, readSize: limit + 1 };
  const { items, next } = pagination ? await readPage(read, limit, isWanted) : await readAll(read, isWanted);
  return { items, nextCursor: next === undefined ? undefined : await writeCursor(scope, [next]) };
}
