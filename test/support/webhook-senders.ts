// Signs requests as the documentation of each source describes it, with nothing of our code.
import { createHmac, randomUUID } from 'node:crypto';
import { routes } from '#lib/routes/routes.ts';
import { flow } from './builders.ts';
import { buildUrl, call } from './client.ts';
import { liveAgent, type TestAgent } from './flows.ts';
import { newTrigger } from './triggers.ts';

export interface SentWebhook {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

export const hmacHex = (secret: string, text: string): string =>
  createHmac('sha256', secret).update(text).digest('hex');
const nowSeconds = (skewSeconds = 0): string => String(Math.floor(Date.now() / 1_000) + skewSeconds);

export function byGithub(secret: string, body: object, headers: object = {}): SentWebhook {
  const text = JSON.stringify(body);
  return {
    text,
    headers: {
      'x-github-event': 'push',
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': `sha256=${hmacHex(secret, text)}`,
      ...headers,
    },
  };
}

export function bySlack(secret: string, text: string, skewSeconds = 0, headers: object = {}): SentWebhook {
  const timestamp = nowSeconds(skewSeconds);
  return {
    text,
    headers: {
      'content-type': text.startsWith('{') ? 'application/json' : 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': `v0=${hmacHex(secret, `v0:${timestamp}:${text}`)}`,
      ...headers,
    },
  };
}

export function byStripe(secret: string, body: object, skewSeconds = 0): SentWebhook {
  const text = JSON.stringify(body);
  const timestamp = nowSeconds(skewSeconds);
  const signature = hmacHex(secret, `${timestamp}.${text}`);
  return {
    text,
    headers: { 'stripe-signature': `t=${timestamp},v1=${'0'.repeat(64)},v1=${signature},v0=00` },
  };
}

export function byShopify(secret: string, body: object, id: string): SentWebhook {
  const text = JSON.stringify(body);
  const signature = createHmac('sha256', secret).update(text).digest('base64');
  return {
    text,
    headers: {
      'x-shopify-topic': 'orders/create',
      'x-shopify-webhook-id': id,
      'x-shopify-shop-domain': 'acme.myshopify.com',
      'x-shopify-hmac-sha256': signature,
    },
  };
}

export function byTwilio(secret: string, url: string, form: Readonly<Record<string, string>>): SentWebhook {
  const fields = Object.entries(form).sort(([a], [b]) => (a < b ? -1 : 1));
  const signed = `${url}${fields.map(([name, value]) => `${name}${value}`).join('')}`;
  return {
    text: new URLSearchParams(form).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': createHmac('sha1', secret).update(signed).digest('base64'),
    },
  };
}

/** As `stamped` is declared. */
export function byStamped(secret: string, body: object, skewSeconds = 0): SentWebhook {
  const text = JSON.stringify(body);
  const timestamp = nowSeconds(skewSeconds);
  const signature = createHmac('sha512', secret).update(`${timestamp}/${text}`).digest('base64');
  return { text, headers: { 'x-time': timestamp, 'x-signature': `s=${signature}`, 'x-tenant': 'acme' } };
}
/** A source of type `hmac` that uses all it can. */
export const stamped = {
  type: 'hmac',
  header: 'X-Signature',
  algorithm: 'sha512',
  encoding: 'base64',
  prefix: 's=',
  timestamp_header: 'X-Time',
  signed: '{timestamp}/{body}',
  id_field: 'meta.id',
  event_field: 'meta.kind',
  headers: ['X-Tenant', 'X-Absent'],
};

export const secretOfTests = 'a secret of the sender';

export interface TestWebhook {
  readonly agent: TestAgent;
  readonly trigger_id: string;
  readonly webhookId: string;
  readonly send: (sent: SentWebhook) => ReturnType<typeof sendTo>;
}

/** A trigger with a source, whose secret is set. The flow ends with the event that it got. */
export async function newWebhook(source: object, some: object = {}): Promise<TestWebhook> {
  const agent = await liveAgent({ flow: echoingFlow });
  return await declareWebhook(agent, source, some);
}

export async function declareWebhook<Owner extends Pick<TestAgent, 'key' | 'workspaceid' | 'flowid'>>(
  agent: Owner,
  source: object,
  some: object = {},
) {
  const { trigger_id, webhook_url = '' } = await newTrigger(agent, { kind: 'webhook', source, ...some });
  await setSourceSecret(agent, trigger_id);
  const webhookId = webhook_url.split('/').at(-1) ?? '';
  return { agent, trigger_id, webhookId, send: (sent: SentWebhook) => sendTo(webhookId, sent) };
}

export const setSourceSecret = async (
  { key, workspaceid }: Pick<TestAgent, 'key' | 'workspaceid'>,
  trigger_id: string,
  body: object = { secret: secretOfTests },
) => await call('setWebhookSecret', { key, params: { flow_id: trigger_id }, query: { workspaceid }, body });

export const sendTo = async (webhookId: string, { text, headers }: SentWebhook) =>
  await call('receiveWebhook', { params: { webhookId }, text, headers });

/** For answers that are no JSON. */
export async function postTo(webhookId: string, { text, headers }: SentWebhook) {
  const url = buildUrl(routes.receiveWebhook, { params: { webhookId } });
  const response = await fetch(url, { method: 'POST', body: text, headers });
  const contentType = response.headers.get('content-type');
  return { status: response.status, contentType, text: await response.text() };
}

const echoingFlow = flow({
  nodes: { done: { type: 'end', output: { event: '{{ input.event }}' } } },
});

export const outputOf = async ({ agent }: Pick<TestWebhook, 'agent'>, triggerId: string | undefined) => {
  const params = { workspace_id: agent.workspaceid, workflow_id: triggerId ?? '' };
  const { body } = await call('getRun', { key: agent.key, params });
  return body.response.event;
};
