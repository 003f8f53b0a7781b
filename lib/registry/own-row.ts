// The caller's own row, or the one answer for missing and foreign alike.
import type { Caller } from '#lib/access/caller.ts';
import { mayUseWorkspace } from '#lib/access/permission.ts';
import { ServiceError } from '#lib/errors.ts';
import { readRow } from './store.ts';
import type { StoredRow } from './stored.ts';

export async function ownRow(caller: Caller, id: string): Promise<StoredRow> {
  const row = await readRow(id);
  if (row?.orgid === caller.orgid) {
    caller.onWorkspace?.(row.workspaceid);
    if (mayUseWorkspace(caller, row.workspaceid)) return row;
  }
  throw new ServiceError('row_not_found', { detail: `There is no registry row ${id}.` });
}
