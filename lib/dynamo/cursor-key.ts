// The key under which this process authenticates cursors: derived once from the tenant's HMAC key in KMS,
// which never leaves it. All processes of a tenant derive the same one, so a cursor made by one is accepted
// by all.
import { GenerateMacCommand, KMSClient } from '@aws-sdk/client-kms';
import { clientConfig, preparedCommands } from '#lib/aws.ts';
import { requireEnv } from '#lib/env.ts';
import { type Secret, secret } from '#lib/secret.ts';

const kms = new KMSClient({ ...clientConfig, ...preparedCommands });

/** The purpose of the derived key and its version: another label makes another key. */
const label = Buffer.from('agent-flow/v1/cursor');

const derived = new Map<string, Promise<Secret>>();

/**
 * 32 bytes as base64. One KMS call per process, with the first cursor that it writes or reads; a failed call
 * is not remembered.
 */
export function cursorKey(): Promise<Secret> {
  const keyId = requireEnv('CURSOR_KEY_ID');
  const known = derived.get(keyId);
  if (known !== undefined) return known;
  const deriving = derive(keyId).catch((error: unknown) => {
    derived.delete(keyId);
    throw error;
  });
  derived.set(keyId, deriving);
  return deriving;
}

async function derive(KeyId: string): Promise<Secret> {
  const { Mac } = await kms.send(
    new GenerateMacCommand({ KeyId, MacAlgorithm: 'HMAC_SHA_256', Message: label }),
  );
  if (!Mac) throw new Error('KMS returned no MAC.');
  return secret(Buffer.from(Mac).toString('base64'));
}
