// The webhook: an event for a flow is accepted once the queue has it, and run later. An event with a name has the run of that name, so
// however often it is sent, it is run once.
import type { Caller } from '#lib/access/caller.ts';
import { ServiceError } from '#lib/errors.ts';
import { limits } from '#lib/flow/limits.ts';
import { newRunId, runIdOf } from '#lib/ids.ts';
import { jsonBytes } from '#lib/json-bytes.ts';
import { type EventPlace, placeOf } from './event-place.ts';
import { requireSignature, type SignedText } from './event-signature.ts';
import { enqueue } from './queue.ts';
import type { WebhookBody } from './trigger.ts';

export interface SentEvent extends SignedText {
  readonly event: WebhookBody;
  readonly idempotencyKey: string | undefined;
}

/** Returns the trigger id, which is the id of the run. One AWS call beside the remembered look-up. */
export async function acceptEvent(
  caller: Caller,
  flowid: string,
  sent: SentEvent,
  at: string,
): Promise<string> {
  // Numbers such as 1e20 grow when they are written again, so the body's own bound says too little.
  const bytes = jsonBytes(sent.event);
  if (bytes > limits.eventBytes) throw tooLargeEvent(limits.eventBytes);
  const known = await placeOf(caller, flowid, Date.parse(at));
  const { secrets, declared_at, eventBytesMax, ...place } = await requireSignature(
    known,
    sent,
    Date.parse(at),
  );
  if (bytes > eventBytesMax) throw tooLargeEvent(eventBytesMax, ', beside what its trigger says');
  // Of a signed event only the id that was signed counts: under another name it could be played again.
  const name = secrets.length > 0 ? sent.signature.id : (sent.idempotencyKey ?? sent.signature.id);
  const triggerId = name === undefined ? newRunId() : runIdOfEvent({ ...place, declared_at }, name);
  await enqueue({
    kind: 'webhook',
    triggerId,
    ...place,
    caller: { id: caller.id, orgid: caller.orgid },
    event: sent.event,
    accepted_at: at,
  });
  return triggerId;
}

const tooLargeEvent = (bytesMax: number, why = ''): ServiceError =>
  new ServiceError('payload_too_large', { detail: `The event may have ${bytesMax} bytes at most${why}.` });

/** The same for everything that is sent under this name. */
export const runIdOfEvent = (
  {
    orgid,
    workspaceid,
    flowid,
    trigger_id = flowid,
    declared_at,
  }: Omit<EventPlace, 'secrets' | 'eventBytesMax'>,
  name: string,
): string => {
  const declared = declared_at === undefined ? [] : [declared_at];
  return runIdOf(JSON.stringify(['webhook', orgid, workspaceid, trigger_id, ...declared, name]));
};
