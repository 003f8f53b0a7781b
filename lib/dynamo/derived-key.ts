// The keys under which this process authenticates what it gives to others and gets back: cursors of pages, links
// to the configuration page, tokens of push notifications, the state of requests of the connector, the secrets of
// OAuth clients, and the external ids of roles. Each is derived once from the tenant's HMAC key in KMS, which never leaves it. All processes of a
// tenant derive the same ones, so what one has made is accepted by all.
import { GenerateMacCommand } from '@aws-sdk/client-kms';
import { requireEnv } from '#lib/env.ts';
import { kms } from '#lib/kms.ts';
import { type Secret, secret } from '#lib/secret.ts';

/** The purpose of a derived key and its version: another label makes another key. */
const labels = {
  cursor: 'agent-flow/v1/cursor',
  configurationLink: 'agent-flow/v1/configuration-link',
  taskNotification: 'agent-flow/v1/task-notification',
  connectorState: 'agent-flow/v1/connector-state',
  oauthClient: 'agent-flow/v1/oauth-client',
  externalId: 'agent-flow/v1/external-id',
} as const;

const derived = new Map<string, Promise<Secret>>();

/**
 * 32 bytes as base64. One KMS call per process and purpose, when the key is first needed; a failed call is not
 * remembered.
 */
export function derivedKey(purpose: keyof typeof labels): Promise<Secret> {
  const keyId = requireEnv('CURSOR_KEY_ID');
  const name = `${keyId} ${purpose}`;
  const known = derived.get(name);
  if (known !== undefined) return known;
  const deriving = derive(keyId, labels[purpose]).catch((error: unknown) => {
    derived.delete(name);
    throw error;
  });
  derived.set(name, deriving);
  return deriving;
}

async function derive(KeyId: string, label: string): Promise<Secret> {
  const { Mac } = await kms.send(
    new GenerateMacCommand({ KeyId, MacAlgorithm: 'HMAC_SHA_256', Message: Buffer.from(label) }),
  );
  if (!Mac) throw new Error('KMS returned no MAC.');
  return secret(Buffer.from(Mac).toString('base64'));
}
