// Seals the credential of a connection and opens it again. The context binds it to its place: moved to another name, workspace or caller it
// does not open.
import { requireEnv } from '#lib/env.ts';
import { open, seal } from '#lib/envelope.ts';
import type { ConnectionScope } from '#lib/flow/format/connection.ts';
import { isSecret } from '#lib/secret.ts';
import { type Place, type Sealed, type StoredConnection, sealedConnection } from './connection.ts';

/** One KMS call. */
export const sealConnection = async (place: Place, scope: ConnectionScope, name: string, value: Sealed) =>
  await seal(plainOf(value), contextOf(place, scope, name));

/** One KMS call. */
export async function openConnection(place: Place, stored: StoredConnection): Promise<Sealed> {
  const text = await open(stored.sealed, contextOf(place, stored.scope, stored.name));
  return sealedConnection.parse(JSON.parse(text));
}

function contextOf({ orgid, workspaceid, user }: Place, scope: ConnectionScope, name: string) {
  const purpose = 'connection';
  const context = { tenant: requireEnv('TENANT_ID'), orgid, workspaceid, name, purpose };
  return scope === 'user' ? { ...context, user } : context;
}

/** The one place where the secrets of a connection become text again to be kept. */
function plainOf({ type, hosts, credential }: Sealed): string {
  const revealed = Object.entries(credential).map(([member, value]: [string, unknown]) => [
    member,
    isSecret(value) ? value.reveal() : value,
  ]);
  return JSON.stringify({ type, hosts, credential: Object.fromEntries(revealed) });
}
