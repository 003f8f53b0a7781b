// Declares a trigger of a flow.
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { type Caller, requireWorkspace } from '#lib/access/caller.ts';
import { type Claim, receiptAction, runOnce } from '#lib/dynamo/idempotency.ts';
import { retryOnConflict } from '#lib/dynamo/retry-on-conflict.ts';
import { ServiceError } from '#lib/errors.ts';
import { computeFingerprint } from '#lib/fingerprint.ts';
import { newTriggerId } from '#lib/ids.ts';
import { built } from '#lib/json/built-schema.ts';
import type { CreateTriggerBody } from './declared-trigger.ts';
import { type StoredTrigger, storedTrigger } from './stored-trigger.ts';
import { insertTrigger } from './trigger-items.ts';
import { chooseWebhookId, computeDueTimes, readBody, requireWritable } from './write.ts';

export interface Declaration {
  readonly body: CreateTriggerBody;
  readonly workspaceid: string;
  readonly at: string;
  /** Makes the same request, sent again within 24 h, the same answer. */
  readonly idempotencyKey?: string | undefined;
}

export async function createTrigger(caller: Caller, declaration: Declaration): Promise<StoredTrigger> {
  requireWorkspace(caller, declaration.workspaceid);
  if (declaration.idempotencyKey === undefined) return await declare(caller, declaration);
  return await runOnce(toClaim(caller, declaration, declaration.idempotencyKey), {
    run: (claim) => declare(caller, declaration, claim),
    replay: (receipt) => ({ ...readBody(declaration.body), ...made.parse(receipt) }),
  });
}

async function declare(caller: Caller, declaration: Declaration, claim?: Claim): Promise<StoredTrigger> {
  const { body, workspaceid, at } = declaration;
  await requireWritable(caller, { ...declaration, kind: body.kind });
  const trigger: StoredTrigger = {
    ...readBody(body),
    trigger_id: body.trigger_id ?? newTriggerId(),
    kind: body.kind,
    orgid: caller.orgid,
    workspaceid,
    ...computeDueTimes(declaration),
    webhook_id: chooseWebhookId(body),
    version: 1,
    created_at: at,
    updated_at: at,
    created_by: caller.id,
    updated_by: caller.id,
  };
  const receipts = claim ? [receiptAction(claim, made.parse(trigger))] : [];
  const outcome = await retryOnConflict(async () => {
    const tried = await insertTrigger(trigger, receipts);
    return tried === 'busy' ? undefined : tried;
  });
  if (outcome === 'inserted') return trigger;
  if (outcome === 'taken')
    throw new ServiceError('trigger_id_taken', {
      detail: `The organisation has a trigger ${trigger.trigger_id}; ids are unique in all its workspaces.`,
    });
  throw new ServiceError('version_conflict', { detail: 'The trigger could not be stored now; try again.' });
}

/**
 * What the service added to what the client sent: all that is needed to give the same answer to the same
 * request again.
 */
const made = /* @__PURE__ */ z.lazy(() =>
  built(storedTrigger).omit({
    flowid: true,
    environment: true,
    message: true,
    user_variables: true,
    enabled: true,
    callback_url: true,
    schedule: true,
    source: true,
    deliver: true,
    respond: true,
  }),
);

const toClaim = (caller: Caller, { body, workspaceid, at }: Declaration, key: string): Claim => ({
  orgid: caller.orgid,
  callerid: caller.id,
  key,
  fingerprint: computeFingerprint(['trigger', workspaceid, body]),
  token: randomUUID(),
  at,
});
