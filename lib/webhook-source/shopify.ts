// Shopify (https://shopify.dev/docs/apps/build/webhooks/subscribe/https). The headers are not signed: neither
// the topic nor the id.
import { isSigned, pickHeaders, readJson, type SourceReader } from './sent-request.ts';

export const shopify: SourceReader<unknown> = {
  verify: (_, secrets, { headers, text }) => {
    const signatures = [headers['x-shopify-hmac-sha256'] ?? ''];
    return isSigned(secrets, { algorithm: 'sha256', encoding: 'base64', text }, signatures);
  },

  read: (_, sent) => ({
    is: 'event',
    id: sent.headers['x-shopify-webhook-id'],
    type: sent.headers['x-shopify-topic'] || 'webhook',
    headers: pickHeaders(sent, [
      'x-shopify-topic',
      'x-shopify-webhook-id',
      'x-shopify-event-id',
      'x-shopify-shop-domain',
      'x-shopify-api-version',
      'x-shopify-triggered-at',
    ]),
    body: readJson(sent.text),
  }),
};
