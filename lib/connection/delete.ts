// Deletes a connection. Runs that have it open already may still use it until they end.
import type { Caller } from '#lib/access/caller.ts';
import { requireWorkspace } from '#lib/access/permission.ts';
import { ServiceError } from '#lib/errors.ts';
import { type ConnectionScope, scopeOf } from '#lib/flow/format/connection.ts';
import { deleteConnection } from './connection-items.ts';
import { placeOf } from './connection-owner.ts';

interface Removal {
  readonly workspaceid: string;
  readonly name: string;
  readonly scope?: ConnectionScope | undefined;
}

export async function remove(caller: Caller, removal: Removal): Promise<void> {
  const { workspaceid, name } = removal;
  requireWorkspace(caller, workspaceid);
  const scope = scopeOf(removal);
  if (await deleteConnection(placeOf(caller, workspaceid), scope, name)) return;
  throw new ServiceError('connection_not_found', {
    detail: `The workspace has no connection ${name} of scope ${scope}.`,
  });
}
