// Reads a row of the caller's, at the version that If-Match names. A row that is missing and one of another
// organisation give the same 404. Errors name the workspace of a row of the caller's organisation, for the
// audit record.
import { type Caller, mayUseWorkspace } from '#lib/access/caller.ts';
import { ServiceError } from '#lib/errors.ts';
import { readRow } from './row-items.ts';
import type { StoredRow } from './stored-row.ts';

/** What is checked here holds at the change too, as that is conditional on the version that was read. */
export async function ownRow(caller: Caller, id: string, expectedVersion?: number): Promise<StoredRow> {
  const row = await readRow(id);
  const workspaceid = row?.orgid === caller.orgid ? row.workspaceid : undefined;
  if (!row || workspaceid === undefined || !mayUseWorkspace(caller, workspaceid))
    throw new ServiceError('row_not_found', { detail: `There is no registry row ${id}.`, workspaceid });
  if (expectedVersion === undefined || expectedVersion === row.version) return row;
  throw new ServiceError('precondition_failed', {
    detail: `The row has version ${row.version} now, so its ETag is "${row.version}"; If-Match names another.`,
    workspaceid,
  });
}
