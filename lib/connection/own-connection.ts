// What a caller changes of its connections in a workspace: it stores and removes them.
import { type Caller, requireWorkspace } from '#lib/access/caller.ts';
import { ServiceError } from '#lib/errors.ts';
import { type ConnectionScope, resolveScope } from '#lib/flow/format/connection.ts';
import { newPayloadId } from '#lib/ids.ts';
import type { Connection, ConnectionBody, ConnectionOwner } from './connection.ts';
import { deleteConnection, putConnection } from './connection-items.ts';
import { encryptConnection } from './encrypted-connection.ts';
import { withExternalId } from './external-id.ts';

/** `user` is the principal: a user or a key does not see what another has stored for itself. */
export const toConnectionOwner = ({ id, orgid }: Caller, workspaceid: string): ConnectionOwner => ({
  orgid,
  workspaceid,
  user: id,
});

interface ConnectionName {
  readonly workspaceid: string;
  readonly name: string;
}

/** Replaces the connection of the same name and scope, if there is one. */
export async function storeConnection(
  caller: Caller,
  { workspaceid, name }: ConnectionName,
  body: ConnectionBody,
  now: string,
): Promise<Connection> {
  requireWorkspace(caller, workspaceid);
  const owner = toConnectionOwner(caller, workspaceid);
  const scope = resolveScope(body);
  const connection = {
    name,
    type: body.type,
    scope,
    label: body.label,
    hosts: body.hosts,
    updated_at: now,
    updated_by: caller.id,
  };
  const sealed = await encryptConnection(owner, scope, name, body);
  await putConnection(owner, { ...connection, version: newPayloadId(), sealed });
  return await withExternalId(owner, connection);
}

interface RemoveRequest extends ConnectionName {
  readonly scope?: ConnectionScope | undefined;
}

/** Runs that have read the connection may use it until they end. */
export async function removeConnection(caller: Caller, request: RemoveRequest): Promise<void> {
  const { workspaceid, name } = request;
  requireWorkspace(caller, workspaceid);
  const scope = resolveScope(request);
  if (await deleteConnection(toConnectionOwner(caller, workspaceid), scope, name)) return;
  throw connectionNotFound(name, scope);
}

export const connectionNotFound = (name: string, scope: ConnectionScope) =>
  new ServiceError('connection_not_found', {
    detail: `The workspace has no connection ${name} of scope ${scope}.`,
  });
