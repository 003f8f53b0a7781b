// What the webhook takes from a request: the event, the name that its sender gives it, and its signature.

import type { Request } from '#lib/http/request.ts';
import { readHeader } from '#lib/http/request-headers.ts';
import type { WebhookBody } from '#lib/run/trigger.ts';
import type { SentEvent } from '#lib/trigger/accept-event.ts';

type Sent = Pick<Request<unknown, unknown, WebhookBody>, 'body' | 'rawBody' | 'headers'>;

export const sentEvent = ({ body, rawBody, headers }: Sent): SentEvent => ({
  event: body,
  text: rawBody,
  idempotencyKey: readHeader('eventName', headers),
  signature: {
    id: readHeader('Webhook-Id', headers),
    timestamp: readHeader('Webhook-Timestamp', headers),
    signature: readHeader('Webhook-Signature', headers),
  },
});
