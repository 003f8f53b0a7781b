// What is behind the address of a webhook with a source: read once in ten seconds by each process.
import { randomBytes } from 'node:crypto';
import { hasEnded } from '#lib/access/key-in-force.ts';
import { boundedMap } from '#lib/bounded-map.ts';
import { requireAddressQuota } from '#lib/limits/visitor-quota.ts';
import { type Secret, secret } from '#lib/secret.ts';
import { onSecretsChanged, rememberedSecretsMs } from '#lib/webhook-secret/changes.ts';
import { secretsInForce } from '#lib/webhook-secret/encrypted-secret.ts';
import type { WebhookSource } from '#lib/webhook-source/source.ts';
import { toSecretScope } from './secret-scope.ts';
import type { StoredTrigger } from './stored-trigger.ts';
import { findByAddress } from './trigger-items.ts';

export interface Webhook {
  readonly source: WebhookSource;
  /** One of them must have signed the request. */
  readonly secrets: readonly Secret[];
  /** Undefined where nothing may be started. */
  readonly trigger: StoredTrigger | undefined;
}

/** A request to such an address takes the same way as others, up to a signature that nobody can have made. */
const closed: Webhook = {
  source: { type: 'github' },
  secrets: [secret(randomBytes(32).toString('base64'))],
  trigger: undefined,
};

/** The wall clock decides, as the monotonic clock stops while Lambda freezes the process. */
const webhooks = boundedMap<string, Webhook>({
  entriesMax: 1_000,
  keptMs: rememberedSecretsMs,
});

onSecretsChanged(({ trigger }) => {
  if (!trigger) return;
  for (const [id, webhook] of webhooks.entries())
    if (webhook.trigger?.trigger_id === trigger.trigger_id) webhooks.delete(id);
});

/**
 * Look-ups are counted by the network address of the sender, so that nobody can try many addresses. Addresses
 * that do not exist are not remembered.
 */
export async function findWebhook(webhook_id: string, sourceIp: string, nowMs: number): Promise<Webhook> {
  const known = webhooks.get(webhook_id);
  if (known) return known;
  await requireAddressQuota(sourceIp, nowMs);
  // Before anything is read: what is changed from here on must hold when the time that its answer states has
  // come.
  const start = Date.now();
  const trigger = await findByAddress(webhook_id);
  if (!trigger) return closed;
  const webhook = await openWebhook(trigger, nowMs);
  webhooks.set(webhook_id, webhook, start + rememberedSecretsMs);
  return webhook;
}

/** Events start runs as the principal that wrote the trigger last, until its key is revoked. */
async function openWebhook(trigger: StoredTrigger, nowMs: number): Promise<Webhook> {
  const { source, enabled, updated_by: id, orgid } = trigger;
  if (!source || !enabled || (await hasEnded({ id, orgid }))) return closed;
  return { source, secrets: await secretsInForce(toSecretScope(trigger), nowMs), trigger };
}
