// Receives what a source sends to the address of its trigger. The signature is the credential: everything that
// is not signed with a secret of the trigger gets the same answer. An event is accepted once the queue has it;
// sent again, it has the same run.
import { findAddress } from '#lib/arrival.ts';
import { ServiceError } from '#lib/errors.ts';
import type { Answer } from '#lib/http/answer.ts';
import { readIncomingTrace } from '#lib/http/incoming-trace.ts';
import type { Request } from '#lib/http/request.ts';
import { jsonBytes } from '#lib/json/size.ts';
import { requireVisitorQuota } from '#lib/limits/visitor-quota.ts';
import { enqueue } from '#lib/run/run-queue.ts';
import type { WebhookBody } from '#lib/run/trigger.ts';
import type { TraceContext } from '#lib/trace-context.ts';
import { hashText, type SentRequest, type SourceEvent } from '#lib/webhook-source/sent-request.ts';
import type { SourceType, WebhookSource } from '#lib/webhook-source/source.ts';
import { readRequest, verifyRequest } from '#lib/webhook-source/source-table.ts';
import { type AcceptedEvent, deriveEventRunId, tooLargeEvent } from './accept-event.ts';
import { allowSender } from './allow-sender.ts';
import { answerEvent } from './answer-event.ts';
import { toDestination } from './event-destination.ts';
import type { StoredTrigger } from './stored-trigger.ts';
import { findWebhook } from './webhook-address.ts';
import { toWebhookUrl } from './wire-trigger.ts';

interface WebhookParams {
  readonly webhookId: string;
}
/** `triggerId` is the id of the run. */
interface Receipt {
  readonly status: 'accepted' | 'ignored';
  readonly triggerId?: string;
}

/** Beside the remembered look-up one AWS call. */
export async function receiveWebhook(request: Request<WebhookParams>): Promise<Answer<Receipt>> {
  if (request.method === 'OPTIONS') return allowSender();
  const { params, headers, rawBody: text, rawQuery, sourceIp, at } = request;
  const { webhookId } = params;
  const nowMs = Date.parse(at);
  await requireVisitorQuota('WEBHOOK', webhookId, nowMs);
  const [bodyHash] = rawQuery.bodySHA256 ?? [];
  const url = toWebhookUrl(webhookId, findAddress(request.arrival));
  const sent: SentRequest = { headers, text, nowMs, url, sourceIp, bodyHash };
  const { source, secrets, trigger } = await findWebhook(webhookId, sourceIp, nowMs);
  const isVerified = await verifyRequest(source, secrets, sent);
  if (!isVerified || !trigger) throw refused();
  const read = await readRequest(source, sent);
  if (read.is === 'challenge') return { text: read.text, contentType: 'text/plain', status: 200 };
  if (read.is === 'subscription') return await confirmSubscription(source, read.url);
  if (read.is === 'test' || !isWanted(source, read)) return formatReceipt(source, { status: 'ignored' });
  const { triggerId, awaited } = await accept(trigger, toEvent(source, read), {
    name: nameOf(read, sent),
    at,
    trace: await readIncomingTrace(headers),
  });
  const receipt = formatReceipt(source, { status: 'accepted', triggerId });
  return await answerEvent(receipt, awaited && { ...awaited, source: source.type }, request);
}

/** The same for an address that does not exist, a trigger that is disabled, and every fault of a signature. */
const refused = () =>
  new ServiceError('signature_invalid', {
    detail:
      'No webhook at this address accepts the request: check the address, the signature and its secret.',
  });

/** A URL elsewhere is not requested, and the subscription stays unconfirmed. */
async function confirmSubscription(source: WebhookSource, url: URL | undefined): Promise<Answer<Receipt>> {
  const { fetchFromSns } = await import('#lib/webhook-source/sns-fetch.ts');
  const confirmed = url && (await fetchFromSns(url));
  if (confirmed === undefined) throw refused();
  return formatReceipt(source, { status: 'ignored' });
}

const isWanted = ({ events }: WebhookSource, { type, otherTypes = [] }: SourceEvent): boolean =>
  !events || [type, ...otherTypes].some((each) => events.includes(each));

/** Equal bodies are one event where the sender gives events no names. */
const nameOf = ({ id, name = id }: SourceEvent, { text }: SentRequest): string =>
  name === undefined ? `body ${hashText(text)}` : `id ${name}`;

const typeCharsMax = 256;

const toEvent = (source: WebhookSource, { type, id, headers, body }: SourceEvent): WebhookBody => ({
  event: type.slice(0, typeCharsMax),
  data: { source: source.type, ...(id !== undefined && { id }), headers, body },
});

interface Acceptance {
  readonly name: string;
  readonly at: string;
  readonly trace: TraceContext | undefined;
}

async function accept(
  trigger: StoredTrigger,
  event: WebhookBody,
  { name, at, trace }: Acceptance,
): Promise<AcceptedEvent> {
  const { eventBytesMax, declared_at, isAnswered, ...scope } = toDestination(trigger);
  if (jsonBytes(event) > eventBytesMax)
    throw tooLargeEvent(eventBytesMax, ', with its headers and beside what its trigger says');
  const triggerId = deriveEventRunId({ ...scope, declared_at }, name);
  const caller = { id: trigger.updated_by, orgid: trigger.orgid };
  await enqueue({ kind: 'webhook', triggerId, ...scope, caller, event, accepted_at: at }, 0, trace);
  const { orgid, workspaceid, trigger_id } = trigger;
  return { triggerId, ...(isAnswered && { awaited: { runId: triggerId, orgid, workspaceid, trigger_id } }) };
}

/** Slack shows the text of an answer to the user, and Twilio reads it as instructions; so they get none. */
const emptyAnswers: Partial<Record<SourceType, { readonly text: string; readonly contentType: string }>> = {
  slack: { text: '', contentType: 'text/plain' },
  twilio: { text: '<Response/>', contentType: 'text/xml' },
};

function formatReceipt({ type }: WebhookSource, receipt: Receipt) {
  const empty = emptyAnswers[type];
  return empty ? { ...empty, status: 200 } : { json: receipt };
}
