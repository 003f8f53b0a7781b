// Stores a connection and replaces the one of the same name and scope, if there is one.
import { type Caller, requireWorkspace } from '#lib/access/caller.ts';
import { scopeOf } from '#lib/flow/format/connection.ts';
import { newPayloadId } from '#lib/ids.ts';
import type { Connection, ConnectionBody } from './connection.ts';
import { putConnection } from './connection-items.ts';
import { toConnectionOwner } from './connection-owner.ts';
import { encryptConnection } from './encrypted-connection.ts';

export async function put(
  caller: Caller,
  at: { readonly workspaceid: string; readonly name: string },
  body: ConnectionBody,
  now: string,
): Promise<Connection> {
  requireWorkspace(caller, at.workspaceid);
  const owner = toConnectionOwner(caller, at.workspaceid);
  const scope = scopeOf(body);
  const shown = {
    name: at.name,
    type: body.type,
    scope,
    label: body.label,
    hosts: body.hosts,
    updated_at: now,
    updated_by: caller.id,
  };
  const sealed = await encryptConnection(owner, scope, at.name, body);
  await putConnection(owner, { ...shown, version: newPayloadId(), sealed });
  return shown;
}
