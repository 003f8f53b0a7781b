// The webhook: an event for a flow is accepted once the queue has it, and run later. An event with a name has
// the run of that name, so however often it is sent, it is run once, and another event under that name is
// refused.
import type { Caller } from '#lib/access/caller.ts';
import { lowLatencyRunsTable } from '#lib/dynamo/client.ts';
import { getItem } from '#lib/dynamo/items.ts';
import { ServiceError } from '#lib/errors.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { deriveRunId, newRunId } from '#lib/ids.ts';
import { jsonBytes } from '#lib/json/size.ts';
import type { Log } from '#lib/log.ts';
import { enqueue } from '#lib/run/run-queue.ts';
import { runKey } from '#lib/run/stored-run.ts';
import type { WebhookBody } from '#lib/run/trigger.ts';
import type { TraceContext } from '#lib/trace-context.ts';
import type { AwaitedRun } from './await-result.ts';
import { type EventDestination, findDestination } from './event-destination.ts';
import { requireSignature, type SignedText } from './event-signature.ts';
import { computeEventFingerprint } from './resolve-trigger.ts';

export interface SentEvent extends SignedText {
  readonly event: WebhookBody;
  readonly idempotencyKey: string | undefined;
  readonly trace?: TraceContext | undefined;
}

export interface AcceptedEvent {
  /** The id of the run. */
  readonly triggerId: string;
  /** Where the event is answered with the result. */
  readonly awaited?: AwaitedRun;
}

interface Acceptance {
  /** RFC 3339: when the request came in. */
  readonly at: string;
  readonly log: Log;
}

/**
 * Beside the remembered look-up one AWS call, and one
 * more for an event with a name.
 */
export async function acceptEvent(
  caller: Caller,
  flowid: string,
  sent: SentEvent,
  { at, log }: Acceptance,
): Promise<AcceptedEvent> {
  // Numbers such as 1e20 grow when they are written again, so the body's own bound says too little.
  const bytes = jsonBytes(sent.event);
  if (bytes > limits.eventBytes) throw tooLargeEvent(limits.eventBytes);
  const known = await findDestination(caller, flowid, Date.parse(at));
  const { secrets, declared_at, eventBytesMax, isAnswered, ...scope } = await requireSignature(
    known,
    sent,
    Date.parse(at),
  );
  if (bytes > eventBytesMax) throw tooLargeEvent(eventBytesMax, ', beside what its trigger says');
  const name = eventNameIn(sent, secrets.length > 0);
  const triggerId = name === undefined ? newRunId() : deriveEventRunId({ ...scope, declared_at }, name.value);
  if (name) await requireSameEvent(triggerId, sent.event, name.header, log);
  const message = {
    kind: 'webhook',
    triggerId,
    ...scope,
    caller: { id: caller.id, orgid: caller.orgid },
    event: sent.event,
    accepted_at: at,
  } as const;
  await enqueue(message, 0, sent.trace);
  const { orgid, workspaceid, trigger_id } = scope;
  const awaited = isAnswered &&
    trigger_id !== undefined && { runId: triggerId, orgid, workspaceid, trigger_id };
  return { triggerId, ...(awaited && { awaited }) };
}

interface EventName {
  readonly value: string;
  /** That it came in. */
  readonly header: 'Idempotency-Key' | 'webhook-id';
}

function eventNameIn({ idempotencyKey, signature }: SentEvent, isSigned: boolean): EventName | undefined {
  // Only the signed id names a signed event: under another name it could be replayed.
  if (!isSigned && idempotencyKey !== undefined) return { value: idempotencyKey, header: 'Idempotency-Key' };
  return signature.id === undefined ? undefined : { value: signature.id, header: 'webhook-id' };
}

/**
 * An event whose run is not there yet has nothing to be compared with, and neither has one whose run cannot
 * be read: taking events is worth more than this check, since the worker runs one event of a name at most.
 */
async function requireSameEvent(
  run_id: string,
  event: WebhookBody,
  header: EventName['header'],
  log: Log,
): Promise<void> {
  const stored = await readEventFingerprint(run_id).catch((error: unknown) => {
    const reason = error instanceof Error ? error.name : 'unknown';
    log.warn('event not compared with its run', { run_id, reason });
    return undefined;
  });
  if (stored === undefined || stored === computeEventFingerprint(run_id, event)) return;
  const detail = `The ${header} came with another event before; use a new one for each event.`;
  throw new ServiceError('idempotency_key_reused', {
    detail,
    errors: [{ pointer: `/headers/${header.toLowerCase()}`, detail: 'must be new for each event' }],
  });
}

/** In ms. The webhook promises an answer within 3 s, of which sending the message may take two. */
const readTimeoutMs = 500;

/**
 * Reads it from the header of the run. Undefined where there is no such run, or none that an event began. The
 * read is eventually consistent, at half the price: an accepted event has no run until a worker begins it, so
 * a moment more makes no difference.
 */
async function readEventFingerprint(run_id: string): Promise<string | undefined> {
  const item = await getItem(lowLatencyRunsTable, runKey(run_id), {
    ConsistentRead: false,
    ProjectionExpression: 'fingerprint',
    abortSignal: AbortSignal.timeout(readTimeoutMs),
  });
  return typeof item?.fingerprint === 'string' ? item.fingerprint : undefined;
}

export const tooLargeEvent = (bytesMax: number, why = ''): ServiceError =>
  new ServiceError('payload_too_large', { detail: `The event may have ${bytesMax} bytes at most${why}.` });

/** The same for everything that is sent under this name. */
export const deriveEventRunId = (
  {
    orgid,
    workspaceid,
    flowid,
    trigger_id = flowid,
    declared_at,
  }: Omit<EventDestination, 'secrets' | 'eventBytesMax' | 'isAnswered'>,
  name: string,
): string => {
  const declared = declared_at === undefined ? [] : [declared_at];
  return deriveRunId(JSON.stringify(['webhook', orgid, workspaceid, trigger_id, ...declared, name]));
};
