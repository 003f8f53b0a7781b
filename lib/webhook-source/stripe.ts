// Stripe (https://docs.stripe.com/webhooks#verify-manually). The secret is used as it is, with its `whsec_`.
import { isRecent, isSigned, readJson, readText, type SourceReader } from './sent-request.ts';

/** As the libraries of Stripe have it. */
const toleranceSeconds = 300;
/** Stripe sends one signature for each secret that is active. */
const partsMax = 20;

export const stripe: SourceReader<unknown> = {
  verify: (_, secrets, { headers, text: body, nowMs }) => {
    const parts = (headers['stripe-signature'] ?? '').split(',', partsMax).map((part) => part.trim());
    const find = (name: string) =>
      parts.filter((part) => part.startsWith(name)).map((part) => part.slice(name.length));
    const [timestamp = ''] = find('t=');
    if (!isRecent(timestamp, toleranceSeconds, nowMs)) return false;
    const text = `${timestamp}.${body}`;
    return isSigned(secrets, { algorithm: 'sha256', encoding: 'hex', text }, find('v1='));
  },

  /** An event that is sent again may have another `pending_webhooks`, but has its `id`. */
  read: (_, sent) => {
    const body = readJson(sent.text);
    return {
      is: 'event',
      id: readText(body, 'id'),
      type: readText(body, 'type') ?? 'webhook',
      headers: {},
      body,
    };
  },
};
