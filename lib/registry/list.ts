// One page of a workspace's rows, or of its flows. What a page costs is in docs/data-model.md.
import * as z from 'zod';
import type { Caller } from '#lib/access/caller.ts';
import { requireWorkspace } from '#lib/access/permission.ts';
import { readCursor, sealOf, writeCursor } from '#lib/cursor.ts';
import { ServiceError } from '#lib/errors.ts';
import { flowIndex, flowsIndex, workspaceIndex } from './keys.ts';
import { type Filters, rowFilter } from './listing/filter.ts';
import { readAll, readPage } from './listing/page.ts';
import type { Route } from './listing/walk.ts';
import { type StoredFlow, type StoredRow, storedFlow, storedRow } from './stored.ts';

interface Paging {
  readonly workspaceid: string;
  readonly orgid?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  /** False for the whole list at once. */
  readonly pagination?: boolean | undefined;
}

export interface ListQuery extends Paging, Filters {
  readonly flowid?: readonly string[] | undefined;
  readonly sort?: 'created_at' | '-created_at' | undefined;
}

export interface Listed<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | undefined;
}

const limitDefault = 50;
/** Where a filter may drop most of what is read. */
const filteredReadSize = 200;

export async function list(caller: Caller, query: ListQuery): Promise<Listed<StoredRow>> {
  requirePlace(caller, query);
  const {
    workspaceid,
    flowid,
    sort = '-created_at',
    status,
    visibility,
    tag,
    input_mode,
    output_mode,
    q,
  } = query;
  const filters: Filters = { status, visibility, tag, input_mode, output_mode, q };
  const isWanted = rowFilter(filters);
  return await answer(caller, query, [workspaceid, flowid, sort, filters], isWanted ?? (() => true), {
    partitions: flowid
      ? [...new Set(flowid)].map((id) => ({ index: 'gsi2', key: flowIndex(caller.orgid, workspaceid, id) }))
      : [{ index: 'gsi1', key: workspaceIndex(caller.orgid, workspaceid) }],
    isDescending: sort === '-created_at',
    ...(isWanted && { readSize: filteredReadSize }),
    parse: (item) => storedRow.parse(item),
    positionOf: (row) => `${row.created_at}#${row.a2aregistryid}`,
  });
}

/** Flows that have builds, by their id. */
export async function listFlows(caller: Caller, query: Paging): Promise<Listed<StoredFlow>> {
  requirePlace(caller, query);
  return await answer(caller, query, ['flows', query.workspaceid], (flow) => flow.build_count > 0, {
    partitions: [{ index: 'gsi1', key: flowsIndex(caller.orgid, query.workspaceid) }],
    isDescending: false,
    parse: (item) => storedFlow.parse(item),
    positionOf: (flow) => flow.flowid,
  });
}

function requirePlace(caller: Caller, { workspaceid, orgid }: Paging): void {
  requireWorkspace(caller, workspaceid);
  if (orgid !== undefined && orgid !== caller.orgid) {
    throw new ServiceError('permission_denied', {
      detail: 'orgid must be the organisation of the credentials.',
    });
  }
}

const position = z.tuple([z.string().min(1)]);

type Way<T> = Omit<Route<T>, 'after' | 'readSize'> & { readonly readSize?: number };

async function answer<T>(
  caller: Caller,
  { pagination = true, limit = limitDefault, cursor }: Paging,
  madeFor: readonly unknown[],
  isWanted: (value: T) => boolean,
  way: Way<T>,
): Promise<Listed<T>> {
  const seal = sealOf([caller.orgid, caller.id, ...madeFor]);
  const after = cursor === undefined ? undefined : readCursor(cursor, seal, position)[0];
  // One more than the page, to know whether there is a next one.
  const route = { readSize: limit + 1, ...way, after };
  const { items, next } = pagination
    ? await readPage(route, limit, isWanted)
    : await readAll(route, isWanted);
  return { items, nextCursor: next === undefined ? undefined : writeCursor(seal, [next]) };
}
