// The webhook: an event for a flow is accepted once the queue has it, and run later.
import { LRUCache } from 'lru-cache';
import type { Caller } from '#lib/access/caller.ts';
import { ServiceError } from '#lib/errors.ts';
import { limits } from '#lib/flow/limits.ts';
import { newRunId } from '#lib/ids.ts';
import { findFlowOf } from '#lib/registry/find-agent.ts';
import { bytesOf } from './pending.ts';
import { enqueue } from './queue.ts';
import type { WebhookBody } from './trigger.ts';

/** Where a key's events for a flow go; a change is seen within seconds, and the worker looks again anyway. */
const places = new LRUCache<string, { readonly orgid: string; readonly workspaceid: string }>({
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
  const { orgid, workspaceid } = await placeOf(caller, flowid);
  const triggerId = newRunId();
  await enqueue({
    kind: 'webhook',
    triggerId,
    orgid,
    workspaceid,
    flowid,
    caller: { id: caller.id, orgid: caller.orgid },
    event,
    accepted_at: at,
  });
  return triggerId;
}

async function placeOf(caller: Caller, flowid: string) {
  // Ids of keys are unique within an organisation.
  const key = `${caller.orgid}/${flowid}/${caller.id}`;
  const known = places.get(key);
  if (known) return known;
  const flow = await findFlowOf(caller, flowid);
  if (!flow)
    throw new ServiceError('trigger_not_found', { detail: `There is no flow ${flowid} with a live build.` });
  const place = { orgid: flow.orgid, workspaceid: flow.workspaceid };
  places.set(key, place);
  return place;
}
