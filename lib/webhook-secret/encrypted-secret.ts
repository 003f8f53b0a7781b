// Signing secrets sealed and opened: bound to their place and version, so that none opens for another flow or after it was replaced.
import * as z from 'zod';
import { requireEnv } from '#lib/env.ts';
import { type EncryptionContext, open, seal } from '#lib/envelope.ts';
import { type Secret, secret } from '#lib/secret.ts';
import { readSecrets, type StoredSecrets } from './secret-items.ts';
import { isInForce, type SecretEntry, type SecretScope } from './signing-secret.ts';

export type KnownSecret = SecretEntry & { readonly secret: Secret };

const texts = z.array(z.string());

/** Those in force, newest first; none where no secret was set. One read, and a KMS call where there are some. */
export async function secretsInForce(place: SecretScope, nowMs: number): Promise<readonly Secret[]> {
  const stored = await readSecrets(place);
  return stored ? (await openSecrets(place, stored, nowMs)).map((known) => known.secret) : [];
}

export async function openSecrets(
  place: SecretScope,
  { version, entries, sealed }: StoredSecrets,
  nowMs: number,
): Promise<KnownSecret[]> {
  const opened = texts.parse(JSON.parse(await open(sealed, contextOf(place, version))));
  return entries
    .map((entry, n) => ({ ...entry, secret: secret(opened[n] ?? '') }))
    .filter((entry) => isInForce(entry, nowMs));
}

export async function sealSecrets(
  place: SecretScope,
  version: number,
  known: readonly KnownSecret[],
): Promise<StoredSecrets> {
  const plain = JSON.stringify(known.map((each) => each.secret.reveal()));
  const entries = known.map(({ secret: _, ...entry }) => entry);
  return { version, entries, sealed: await seal(plain, contextOf(place, version)) };
}

const contextOf = (place: SecretScope, version: number): EncryptionContext => ({
  tenant: requireEnv('TENANT_ID'),
  orgid: place.orgid,
  workspaceid: place.workspaceid,
  ...(place.flowid !== undefined && { flowid: place.flowid }),
  version: String(version),
  purpose: place.flowid === undefined ? 'callback-secret' : 'webhook-secret',
});
