// Encrypts and decrypts signing secrets. They are bound to their scope and version, so none can be decrypted
// for another flow, or after it was replaced.
import * as z from 'zod';
import { requireEnv } from '#lib/env.ts';
import { decrypt, type EncryptionContext, encrypt } from '#lib/envelope.ts';
import { type Secret, secret } from '#lib/secret.ts';
import { readSecrets, type StoredSecrets } from './secret-items.ts';
import { isInForce, isOfWebhook, type SecretEntry, type SecretScope } from './signing-secret.ts';

export type DecryptedSecret = SecretEntry & { readonly secret: Secret };

const texts = z.array(z.string());

/** The valid secrets, newest first. One read, and a KMS call if a secret is set. */
export async function secretsInForce(scope: SecretScope, nowMs: number): Promise<readonly Secret[]> {
  const stored = await readSecrets(scope);
  return stored ? (await decryptSecrets(scope, stored, nowMs)).map((known) => known.secret) : [];
}

export async function decryptSecrets(
  scope: SecretScope,
  { version, entries, sealed }: StoredSecrets,
  nowMs: number,
): Promise<DecryptedSecret[]> {
  const plainTexts = texts.parse(JSON.parse(await decrypt(sealed, secretContext(scope, version))));
  return entries
    .map((entry, n) => ({ ...entry, secret: secret(plainTexts[n] ?? '') }))
    .filter((entry) => isInForce(entry, nowMs));
}

export async function encryptSecrets(
  scope: SecretScope,
  version: number,
  known: readonly DecryptedSecret[],
): Promise<StoredSecrets> {
  const plain = JSON.stringify(known.map((each) => each.secret.reveal()));
  const entries = known.map(({ secret: _, ...entry }) => entry);
  return { version, entries, sealed: await encrypt(plain, secretContext(scope, version)) };
}

export const secretContext = (scope: SecretScope, version: number): EncryptionContext => ({
  tenant: requireEnv('TENANT_ID'),
  orgid: scope.orgid,
  workspaceid: scope.workspaceid,
  ...(scope.flowid !== undefined && { flowid: scope.flowid }),
  ...scope.trigger,
  version: String(version),
  purpose: isOfWebhook(scope) ? 'webhook-secret' : 'callback-secret',
});
