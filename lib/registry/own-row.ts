// Reads a row of the caller's, at the version that If-Match names. A row that is missing and one of another
// organisation give the same 404.
import { type Caller, mayUseWorkspace } from '#lib/access/caller.ts';
import { ServiceError } from '#lib/errors.ts';
import { readRow } from './row-items.ts';
import type { StoredRow } from './stored-row.ts';

/** What is checked here holds at the change too, as that is conditional on the version that was read. */
export async function ownRow(caller: Caller, id: string, expectedVersion?: number): Promise<StoredRow> {
  const row = await readRow(id);
  if (row?.orgid === caller.orgid) caller.onWorkspace?.(row.workspaceid);
  if (!row || row.orgid !== caller.orgid || !mayUseWorkspace(caller, row.workspaceid))
    throw new ServiceError('row_not_found', { detail: `There is no registry row ${id}.` });
  if (expectedVersion === undefined || expectedVersion === row.version) return row;
  throw new ServiceError('precondition_failed', {
    detail: `The row has version ${row.version} now, so its ETag is "${row.version}"; If-Match names another.`,
  });
}
