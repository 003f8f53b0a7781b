// The webhook: an event for a flow is accepted once the queue has it, and run later.
import { LRUCache } from 'lru-cache';
import type { Caller } from '#lib/access/caller.ts';
import { ServiceError } from '#lib/errors.ts';
import { limits } from '#lib/flow/limits.ts';
import { isTriggerId, newRunId } from '#lib/ids.ts';
import { findFlowOf } from '#lib/registry/find-agent.ts';
import { bytesOf } from './pending.ts';
import { enqueue, type WebhookMessage } from './queue.ts';
import { usableTrigger } from './resolve-trigger.ts';
import type { WebhookBody } from './trigger.ts';

type Place = Pick<WebhookMessage, 'orgid' | 'workspaceid' | 'flowid' | 'trigger_id'>;

/** Where a key's events for a flow go; a change is seen within seconds, and the worker looks again anyway. */
const places = new LRUCache<string, Place>({
  max: 1_000,
  ttl: 10_000,
});

/** Returns the trigger id, which is the id of the run. One AWS call beside the remembered look-up. */
export async function acceptEvent(
  caller: Caller,
  flowid: string,
  event: WebhookBody,
  at: string,
): Promise<string> {
  // Numbers such as 1e20 grow when they are written again, so the body's own bound says too little.
  if (bytesOf(event) > limits.eventBytes)
    throw new ServiceError('payload_too_large', {
      detail: `The event may have ${limits.eventBytes} bytes at most.`,
    });
  const place = await placeOf(caller, flowid);
  const triggerId = newRunId();
  await enqueue({
    kind: 'webhook',
    triggerId,
    ...place,
    caller: { id: caller.id, orgid: caller.orgid },
    event,
    accepted_at: at,
  });
  return triggerId;
}

async function placeOf(caller: Caller, id: string): Promise<Place> {
  // Ids of keys are unique within an organisation.
  const key = `${caller.orgid}/${id}/${caller.id}`;
  const known = places.get(key);
  if (known) return known;
  const place = isTriggerId(id) ? await placeOfTrigger(caller, id) : await placeOfFlow(caller, id);
  places.set(key, place);
  return place;
}

async function placeOfFlow(caller: Caller, flowid: string): Promise<Place> {
  const flow = await findFlowOf(caller, flowid);
  if (!flow)
    throw new ServiceError('trigger_not_found', { detail: `There is no flow ${flowid} with a live build.` });
  return { orgid: flow.orgid, workspaceid: flow.workspaceid, flowid };
}

async function placeOfTrigger(caller: Caller, id: string): Promise<Place> {
  const { orgid, workspaceid, flowid, trigger_id } = await usableTrigger(caller, id, 'webhook');
  return { orgid, workspaceid, flowid, trigger_id };
}
