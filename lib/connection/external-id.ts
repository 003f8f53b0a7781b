// The external id of a connection to AWS, which the trust policy of a role requires. The service computes it for the
// owner of the connection and takes it from nobody, so that no organisation can have the service assume a role that
// trusts it for another organisation (the confused deputy).
import { createHmac } from 'node:crypto';
import { derivedKey } from '#lib/dynamo/derived-key.ts';
import type { ConnectionScope } from '#lib/flow/format/connection.ts';
import type { Connection, ConnectionOwner } from './connection.ts';

/** 256 bits under a key of the tenant; at most one KMS call per process. */
export async function computeExternalId(
  { orgid, workspaceid, user }: ConnectionOwner,
  scope: ConnectionScope,
  name: string,
): Promise<string> {
  const key = Buffer.from((await derivedKey('externalId')).reveal(), 'base64');
  const owner = [orgid, workspaceid, scope, scope === 'user' ? user : '', name];
  return createHmac('sha256', key).update(JSON.stringify(owner)).digest('base64url');
}

/** As callers see it: with the external id, if the connection is a role of AWS. */
export const withExternalId = async (owner: ConnectionOwner, connection: Connection): Promise<Connection> =>
  connection.type === 'aws_sigv4'
    ? { ...connection, external_id: await computeExternalId(owner, connection.scope, connection.name) }
    : connection;
