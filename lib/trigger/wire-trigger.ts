// A stored trigger as callers see it: without what changes with every run, so that one version always reads
// the same. Only those who may set its secrets see the address of a webhook.
import { type Caller, findScopes } from '#lib/access/caller.ts';
import { requireEnv } from '#lib/env.ts';
import type { DeclaredTrigger } from './declared-trigger.ts';
import type { StoredTrigger } from './stored-trigger.ts';

export function toWireTrigger(
  {
    user_variables,
    scheduled_since: _,
    next_due: __,
    last_skipped: ___,
    webhook_id,
    ...trigger
  }: StoredTrigger,
  caller: Caller,
): DeclaredTrigger {
  const isShown = findScopes(caller, trigger.workspaceid).has('assistants.flows:update');
  return {
    ...trigger,
    ...(user_variables !== undefined && { user_variables: JSON.parse(user_variables) }),
    ...(webhook_id !== undefined && isShown && { webhook_url: toWebhookUrl(webhook_id) }),
  };
}

export const toWebhookUrl = (webhook_id: string, address = requireEnv('GATEWAY_URL')): string =>
  `${address}/public/webhooks/${webhook_id}`;
