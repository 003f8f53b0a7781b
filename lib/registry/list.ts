// One page of a workspace's rows, and the cursor to the next.
import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Caller } from '#lib/access/caller.ts';
import { requireWorkspace } from '#lib/access/permission.ts';
import { ServiceError } from '#lib/errors.ts';
import { jsonBytes } from './item-size.ts';
import type { Status, Visibility } from './row.ts';
import { queryRows } from './store.ts';
import type { StoredRow } from './stored.ts';

export interface ListQuery {
  readonly workspaceid: string;
  readonly orgid?: string | undefined;
  readonly status?: Status | undefined;
  readonly visibility?: Visibility | undefined;
  readonly flowid?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

const limitDefault = 50;
const pageBytesMax = 4_000_000;

export async function list(
  caller: Caller,
  query: ListQuery,
): Promise<{ rows: StoredRow[]; nextCursor: string | undefined }> {
  requireWorkspace(caller, query.workspaceid);
  if (query.orgid !== undefined && query.orgid !== caller.orgid) {
    throw new ServiceError('permission_denied', {
      detail: 'orgid must be the organisation of the credentials.',
    });
  }
  const limit = query.limit ?? limitDefault;
  const { workspaceid, status, visibility, flowid } = query;
  const fingerprint = fingerprintOf([caller.orgid, workspaceid, status, visibility, flowid]);
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor, fingerprint);
  const found = await queryRows({
    orgid: caller.orgid,
    workspaceid,
    status,
    visibility,
    flowid,
    limit: limit + 1,
    after,
  });
  const rows = withinBytes(found.slice(0, limit));
  const last = rows.at(-1);
  return {
    rows,
    nextCursor: found.length > rows.length && last ? writeCursor(last, fingerprint) : undefined,
  };
}

/** At least one row, and as many as fit into an answer: Lambda takes 6 MB, a row is 300 KB at most, and often 3. */
function withinBytes(rows: readonly StoredRow[]): StoredRow[] {
  let bytes = 0;
  return rows.filter((row, n) => {
    bytes += jsonBytes(row);
    return n === 0 || bytes <= pageBytesMax;
  });
}

/** Not secret: a forged cursor cannot leave the partition, which is rebuilt from the caller and the query. */
const cursorContent = z.tuple([z.literal(1), z.string(), z.string(), z.string()]);

const writeCursor = (row: StoredRow, fingerprint: string): string =>
  Buffer.from(JSON.stringify([1, fingerprint, row.created_at, row.a2aregistryid])).toString('base64url');

function readCursor(cursor: string, fingerprint: string) {
  const parsed = cursorContent.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (parsed.success && parsed.data[1] === fingerprint) {
    return { created_at: parsed.data[2], a2aregistryid: parsed.data[3] };
  }
  const detail = 'must be the nextCursor of an answer to the same query by the same organisation';
  throw new ServiceError('validation_failed', { errors: [{ pointer: '/query/cursor', detail }] });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const fingerprintOf = (parts: readonly (string | undefined)[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16);
