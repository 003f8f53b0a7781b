// The sources of webhooks: systems that sign what they send in a form of their own. The schemas of the member
// `source` of a declared trigger; the files beside it verify and read what each sends.
import * as z from 'zod';
import { webUrl } from '#lib/web-url.ts';

const headerName = (description: string) =>
  z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be the name of a header: 1 to 64 letters, digits or "-"')
    .meta({ description });

const fieldPath = (description: string) =>
  z
    .string()
    .max(200)
    .regex(/^[\w-]{1,64}(\.[\w-]{1,64}){0,7}$/, 'must be names of members, separated by ".", such as data.id')
    .meta({ description });

const events = z
  .array(z.string().regex(/^[!-~]{1,128}$/, 'must be 1 to 128 visible ASCII characters'))
  .min(1)
  .max(50)
  .optional()
  .meta({
    description: 'Only events of these types start a run; others are answered with 202 and have no effect.',
    example: ['push'],
  });

const toleranceSeconds = z
  .int()
  .min(30)
  .max(3_600)
  .default(300)
  .meta({ description: 'How far the signed time may differ from the current time, either way.' });

const signing = {
  header: headerName('The header that has the signature.'),
  algorithm: z
    .enum(['sha256', 'sha512', 'sha1'])
    .default('sha256')
    .meta({ description: 'The hash function of the HMAC.' }),
  encoding: z
    .enum(['hex', 'base64'])
    .default('hex')
    .meta({ description: 'How the header encodes the signature.' }),
  prefix: z
    .string()
    .max(32)
    .regex(/^[!-~]*$/, 'must be visible ASCII characters')
    .default('')
    .meta({ description: 'What precedes the signature in the header, such as `sha256=`.' }),
  timestamp_header: headerName('The header that has the time of signing, in seconds since 1970.').optional(),
  tolerance_seconds: toleranceSeconds,
  signed: z
    .string()
    .max(100)
    .regex(/\{body\}/, 'must contain {body} once')
    .default('{body}')
    .meta({
      description:
        'The text that is signed: `{body}` is the body, `{timestamp}` the value of `timestamp_header`, `{id}` that of `id_header`.',
      example: '{timestamp}.{body}',
    }),
  id_header: headerName('The header that names the event.').optional(),
} as const;

interface Signing {
  readonly signed: string;
  readonly timestamp_header?: string | undefined;
  readonly id_header?: string | undefined;
}

/** A time that is not signed would protect from nothing, and one that no header has cannot be signed. */
function checkSigned({ signed, timestamp_header, id_header }: Signing, context: z.RefinementCtx): void {
  const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['signed'], message });
  const times = (part: string) => signed.split(part).length - 1;
  if (times('{body}') > 1) refuse('must contain {body} once');
  if (times('{timestamp}') !== (timestamp_header === undefined ? 0 : 1))
    refuse('must contain {timestamp} once if there is a timestamp_header, and not otherwise');
  if (times('{id}') > (id_header === undefined ? 0 : 1))
    refuse('may contain {id} once, if there is an id_header');
}

const hmacSource = z
  .strictObject({
    type: z.literal('hmac').meta({ description: 'Any system that signs the body with an HMAC.' }),
    ...signing,
    id_field: fieldPath('The member of a JSON body that names the event.').optional(),
    event_header: headerName('The header that has the type of the event.').optional(),
    event_field: fieldPath('The member of a JSON body that has the type of the event.').optional(),
    headers: z
      .array(headerName('A header.'))
      .max(20)
      .optional()
      .meta({ description: 'Headers that the flow sees.' }),
    events,
  })
  .superRefine(checkSigned);
export type HmacSource = z.infer<typeof hmacSource>;

const githubSource = z.strictObject({
  type: z.literal('github').meta({ description: 'GitHub: `X-Hub-Signature-256`.' }),
  events,
});

const slackSource = z.strictObject({
  type: z.literal('slack').meta({
    description: 'Slack: `X-Slack-Signature` of version v0, for events, slash commands and interactivity.',
  }),
  events,
});

const stripeSource = z.strictObject({
  type: z.literal('stripe').meta({ description: 'Stripe: `Stripe-Signature`.' }),
  events,
});

const shopifySource = z.strictObject({
  type: z.literal('shopify').meta({ description: 'Shopify: `X-Shopify-Hmac-Sha256`.' }),
  events,
});

const twilioSource = z.strictObject({
  type: z.literal('twilio').meta({ description: 'Twilio: `X-Twilio-Signature`, which also signs the URL.' }),
  url: webUrl({ error: 'must be a URL', max: 2_048 })
    .optional()
    .meta({ description: 'The URL that Twilio calls, if a proxy gives the address another one.' }),
  events,
});
export type TwilioSource = z.infer<typeof twilioSource>;

const cloudEventsSource = z.strictObject({
  type: z.literal('cloudevents').meta({ description: 'CloudEvents 1.0 in structured or binary mode.' }),
  credential: z.enum(['standard', 'bearer']).default('standard').meta({
    description:
      'How the sender proves who it is: a signature according to Standard Webhooks, or the secret as a bearer token.',
  }),
  events,
});
export type CloudEventsSource = z.infer<typeof cloudEventsSource>;

const snsSource = z.strictObject({
  type: z
    .literal('sns')
    .meta({ description: 'Amazon SNS, by a subscription over HTTPS without raw delivery.' }),
  topic_arn: z
    .string()
    .regex(
      /^arn:aws(-[a-z-]{1,20})?:sns:[a-z0-9-]{1,32}:\d{12}:[\w-]{1,256}(\.fifo)?$/,
      'must be the ARN of a topic, such as arn:aws:sns:eu-central-1:123456789012:orders',
    )
    .meta({ description: 'The topic: messages of others are refused, also those that SNS has signed.' }),
  events,
});
export type SnsSource = z.infer<typeof snsSource>;

const sources = [
  hmacSource,
  githubSource,
  slackSource,
  stripeSource,
  shopifySource,
  twilioSource,
  cloudEventsSource,
  snsSource,
] as const;
export const webhookSource = z.discriminatedUnion('type', sources).meta({
  id: 'WebhookSource',
  description:
    'Who sends the events. The trigger then has an address of its own, `webhook_url`, and the signature of the sender is the credential: no API key.',
});
export type WebhookSource = z.infer<typeof webhookSource>;
export type SourceType = WebhookSource['type'];
