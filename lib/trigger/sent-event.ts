// What the webhook takes from a request: the event, the name that its sender gives it, and its signature.

import { readIncomingTrace } from '#lib/http/incoming-trace.ts';
import type { Request } from '#lib/http/request.ts';
import { readHeader } from '#lib/http/request-headers.ts';
import type { WebhookBody } from '#lib/run/trigger.ts';
import type { SentEvent } from '#lib/trigger/accept-event.ts';

type Sent = Pick<Request<unknown, unknown, WebhookBody>, 'body' | 'rawBody' | 'headers'>;

export const sentEvent = async ({ body, rawBody, headers }: Sent): Promise<SentEvent> => ({
  event: body,
  text: rawBody,
  trace: await readIncomingTrace(headers),
  idempotencyKey: readHeader('eventName', headers),
  signature: {
    id: readHeader('Webhook-Id', headers),
    timestamp: readHeader('Webhook-Timestamp', headers),
    signature: readHeader('Webhook-Signature', headers),
  },
});
