// The readers of all sources. Another source is one row here, one schema in `source.ts` and one file.
import type { Secret } from '#lib/secret.ts';
import { cloudevents } from './cloudevents.ts';
import { github } from './github.ts';
import { hmac } from './hmac.ts';
import type { Reading, SentRequest, SourceReader } from './sent-request.ts';
import { shopify } from './shopify.ts';
import { slack } from './slack.ts';
import type { SourceType, WebhookSource } from './source.ts';
import { stripe } from './stripe.ts';
import { twilio } from './twilio.ts';

const readers: { readonly [T in SourceType]: SourceReader<Extract<WebhookSource, { readonly type: T }>> } = {
  hmac,
  github,
  slack,
  stripe,
  shopify,
  twilio,
  cloudevents,
  // Loaded by its first request: it is the only one that sends requests itself.
  sns: {
    verify: async (source, _, sent) => (await import('./sns.ts')).verifySns(source, sent),
    read: async (source, sent) => (await import('./sns.ts')).readSns(source, sent),
  },
};

/** The row of a type takes the sources of that type. */
const readerOf = ({ type }: WebhookSource) => readers[type] as SourceReader<WebhookSource>;

/** Whether the sender has signed the request with one of the secrets, and recently. */
export const verifyRequest = async (
  source: WebhookSource,
  secrets: readonly Secret[],
  sent: SentRequest,
): Promise<boolean> => await readerOf(source).verify(source, secrets, sent);

/** Reads a request that is verified. */
export const readRequest = async (source: WebhookSource, sent: SentRequest): Promise<Reading> =>
  await readerOf(source).read(source, sent);
