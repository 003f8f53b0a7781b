// Deletes a connection. Runs that have read it already may use it until they end.
import { type Caller, requireWorkspace } from '#lib/access/caller.ts';
import { ServiceError } from '#lib/errors.ts';
import { type ConnectionScope, scopeOf } from '#lib/flow/format/connection.ts';
import { deleteConnection } from './connection-items.ts';
import { toConnectionOwner } from './connection-owner.ts';

interface DeleteRequest {
  readonly workspaceid: string;
  readonly name: string;
  readonly scope?: ConnectionScope | undefined;
}

export async function deleteStored(caller: Caller, request: DeleteRequest): Promise<void> {
  const { workspaceid, name } = request;
  requireWorkspace(caller, workspaceid);
  const scope = scopeOf(request);
  if (await deleteConnection(toConnectionOwner(caller, workspaceid), scope, name)) return;
  throw new ServiceError('connection_not_found', {
    detail: `The workspace has no connection ${name} of scope ${scope}.`,
  });
}
