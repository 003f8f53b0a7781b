// Encrypts and decrypts the value of a connection. The encryption context binds it to its name, workspace and
// owner: copied to another item it cannot be decrypted.
import { requireEnv } from '#lib/env.ts';
import { decrypt, encrypt } from '#lib/envelope.ts';
import type { ConnectionScope } from '#lib/flow/format/connection.ts';
import { isSecret } from '#lib/secret.ts';
import {
  type ConnectionOwner,
  type ConnectionValue,
  connectionValue,
  type StoredConnection,
} from './connection.ts';

/** One KMS call. */
export const encryptConnection = async (
  owner: ConnectionOwner,
  scope: ConnectionScope,
  name: string,
  value: ConnectionValue,
) => await encrypt(toPlainJson(value), connectionContext(owner, scope, name));

/** One KMS call. */
export async function decryptConnection(
  owner: ConnectionOwner,
  stored: StoredConnection,
): Promise<ConnectionValue> {
  const text = await decrypt(stored.sealed, connectionContext(owner, stored.scope, stored.name));
  return connectionValue.parse(JSON.parse(text));
}

export function connectionContext(
  { orgid, workspaceid, user }: ConnectionOwner,
  scope: ConnectionScope,
  name: string,
) {
  const purpose = 'connection';
  const context = { tenant: requireEnv('TENANT_ID'), orgid, workspaceid, name, purpose };
  return scope === 'user' ? { ...context, user } : context;
}

/** The only code that reveals the secrets of a connection in order to store them. */
function toPlainJson({ type, hosts, credential }: ConnectionValue): string {
  const revealed = Object.entries(credential).map(([member, value]: [string, unknown]) => [
    member,
    isSecret(value) ? value.reveal() : value,
  ]);
  return JSON.stringify({ type, hosts, credential: Object.fromEntries(revealed) });
}
