// Webhooks of sources: the signature of the sender is the credential.
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { problem } from '#lib/http/problem.ts';
import { limits } from '#lib/limits/tenant-limits.ts';
import { routes } from '#lib/routes/routes.ts';
import { newCaller } from '#test/support/caller.ts';
import { buildUrl, call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import {
  byGithub,
  byShopify,
  bySlack,
  byStamped,
  byStripe,
  byTwilio,
  declareWebhook,
  hmacHex,
  newWebhook,
  outputOf,
  postTo,
  secretOfTests as secret,
  sendTo,
  setSourceSecret,
  stamped,
} from '#test/support/webhook-senders.ts';

const github = { type: 'github' };
const slack = { type: 'slack' };
const hmac = { type: 'hmac', header: 'X-Signature' };
const push = () => ({ ref: 'refs/heads/main', after: randomUUID() });
const listRuns = async ({ agent }: Awaited<ReturnType<typeof newWebhook>>) =>
  (await call('listRuns', { key: agent.key, query: { workspaceid: agent.workspaceid } })).body.items;

describe('202', () => {
  test('an event of GitHub starts a run, which gets its type, the headers that matter and its body', async () => {
    const webhook = await newWebhook(github);
    const body = push();
    const sent = byGithub(secret, body, { 'x-github-hook-id': '7', 'x-forwarded-secret': 'no' });
    const { body: receipt } = await webhook.send(sent);
    expect(receipt).toEqual({ status: 'accepted', triggerId: expect.any(String) });
    await idle();
    const id = sent.headers['x-github-delivery'];
    expect(await outputOf(webhook, receipt.triggerId)).toEqual({
      event: 'push',
      data: {
        source: 'github',
        id,
        headers: { 'x-github-event': 'push', 'x-github-delivery': id, 'x-github-hook-id': '7' },
        body,
      },
    });
  });

  test('a webhook of GitHub that sends forms has the JSON of their payload as its body', async () => {
    const webhook = await newWebhook(github);
    const text = new URLSearchParams({ payload: '{"action":"opened"}' }).toString();
    const { headers } = byGithub(secret, {});
    const signed = {
      ...headers,
      'content-type': 'application/x-www-form-urlencoded',
      'x-hub-signature-256': `sha256=${hmacHex(secret, text)}`,
    };
    const { body } = await webhook.send({ text, headers: signed });
    await idle();
    expect(await outputOf(webhook, body.triggerId)).toMatchObject({ data: { body: { action: 'opened' } } });
  });

  test.each([
    ['GitHub', github, () => byGithub(secret, push())],
    ['an HMAC with a time and a name', stamped, () => byStamped(secret, { meta: { id: randomUUID() } })],
    ['Shopify', { type: 'shopify' }, () => byShopify(secret, push(), randomUUID())],
    [
      'Stripe',
      { type: 'stripe' },
      () => byStripe(secret, { id: `evt_${randomUUID()}`, type: 'invoice.paid' }),
    ],
    [
      'an HMAC without a name',
      hmac,
      () => {
        const text = JSON.stringify(push());
        return { text, headers: { 'x-signature': hmacHex(secret, text) } };
      },
    ],
  ])('an event of %s that is sent again has one run', async (_of, source, build) => {
    const webhook = await newWebhook(source);
    const sent = build();
    const answers = await Promise.all([webhook.send(sent), webhook.send(sent)]);
    await idle();
    answers.push(await webhook.send(sent));
    await idle();
    expect(new Set(answers.map(({ body }) => body.triggerId)).size).toBe(1);
    expect(await listRuns(webhook)).toHaveLength(1);
  });

  test('an HMAC over time and body, with all that its declaration says', async () => {
    const webhook = await newWebhook(stamped);
    const meta = { id: 17, kind: 'invoice.paid' };
    const { body } = await webhook.send(byStamped(secret, { meta }));
    await idle();
    expect(await outputOf(webhook, body.triggerId)).toEqual({
      event: 'invoice.paid',
      data: { source: 'hmac', id: '17', headers: { 'x-tenant': 'acme' }, body: { meta } },
    });
    // Another signature, since the time is another: the name counts.
    const again = await webhook.send(byStamped(secret, { meta }, -30));
    expect(again.body.triggerId).toBe(body.triggerId);
  });

  test('events of other types than the trigger wants, and the ping of GitHub, start nothing', async () => {
    const webhook = await newWebhook({ ...github, events: ['push', 'pull_request.opened'] });
    const send = async (type: string, body: object) =>
      (await webhook.send(byGithub(secret, body, { 'x-github-event': type }))).body.status;
    expect(await send('ping', { zen: 'Keep it logically awesome.' })).toBe('ignored');
    expect(await send('issues', { action: 'opened' })).toBe('ignored');
    expect(await send('pull_request', { action: 'closed' })).toBe('ignored');
    expect(await send('pull_request', { action: 'opened' })).toBe('accepted');
    expect(await send('push', push())).toBe('accepted');
    await idle();
    expect(await listRuns(webhook)).toHaveLength(2);
  });

  test('the run is that of the key which wrote the trigger, in its environment', async () => {
    const webhook = await newWebhook(github);
    const { body } = await webhook.send(byGithub(secret, push()));
    await idle();
    const [run] = await listRuns(webhook);
    expect(run).toMatchObject({
      workflow_id: body.triggerId,
      trigger: 'webhook',
      trigger_id: webhook.trigger_id,
      environment: 'live',
    });
  });
});

describe('202 of shops', () => {
  test('an event of Stripe has the name and the type of its body, also with another time and other counters', async () => {
    const webhook = await newWebhook({ type: 'stripe', events: ['invoice.paid'] });
    const event = { id: 'evt_1NG8Du2eZvKYlo2CUI79vXWy', type: 'invoice.paid', pending_webhooks: 2 };
    const { body } = await webhook.send(byStripe(secret, event));
    await idle();
    expect(await outputOf(webhook, body.triggerId)).toEqual({
      event: 'invoice.paid',
      data: { source: 'stripe', id: event.id, headers: {}, body: event },
    });
    const again = await webhook.send(byStripe(secret, { ...event, pending_webhooks: 1 }, -20));
    expect(again.body.triggerId).toBe(body.triggerId);
    const other = await webhook.send(byStripe(secret, { id: 'evt_2', type: 'invoice.created' }));
    expect(other.body).toEqual({ status: 'ignored' });
    await idle();
    expect(await listRuns(webhook)).toHaveLength(1);
    expect((await webhook.send(byStripe(secret, event, -301))).problem.code).toBe('signature_invalid');
    expect((await webhook.send(byStripe('another', event))).problem.code).toBe('signature_invalid');
  });

  test('an event of Shopify has its topic, and the headers that say of which shop it is', async () => {
    const webhook = await newWebhook({ type: 'shopify', events: ['orders/create'] });
    const sent = byShopify(secret, { id: 820982911946154500 }, 'b54557e4');
    const { body } = await webhook.send(sent);
    await idle();
    expect(await outputOf(webhook, body.triggerId)).toMatchObject({
      event: 'orders/create',
      data: { source: 'shopify', id: 'b54557e4', headers: { 'x-shopify-shop-domain': 'acme.myshopify.com' } },
    });
    const { problem } = await webhook.send({ ...sent, text: sent.text.replace('8', '9') });
    expect(problem.code).toBe('signature_invalid');
  });
});

test('200: Twilio gets no instructions, and each status of a message is an event of its own', async () => {
  const webhook = await newWebhook({ type: 'twilio' });
  const url = buildUrl(routes.receiveWebhook, { params: { webhookId: webhook.webhookId } });
  const message = { MessageSid: 'SM1', From: '+14158675309', Body: 'Grüße & mehr' };
  const statuses = ['sent', 'delivered', 'sent'];
  for (const MessageStatus of statuses) {
    const sent = byTwilio(secret, url, { ...message, MessageStatus });
    expect(await postTo(webhook.webhookId, sent)).toEqual({
      status: 200,
      contentType: 'text/xml',
      text: '<Response/>',
    });
  }
  await idle();
  const runs = await listRuns(webhook);
  const events = await Promise.all(runs.map((run) => outputOf(webhook, run.workflow_id)));
  expect(events).toHaveLength(2);
  expect(events).toContainEqual({
    event: 'message.delivered',
    data: { source: 'twilio', headers: {}, body: { ...message, MessageStatus: 'delivered' } },
  });
  const elsewhere = byTwilio(secret, `${url}x`, message);
  expect((await postTo(webhook.webhookId, elsewhere)).status).toBe(401);
});

describe('200, as Slack wants it', () => {
  const event = () =>
    JSON.stringify({
      type: 'event_callback',
      event_id: `Ev${randomUUID()}`,
      event: { type: 'app_mention', text: 'hi' },
    });

  test('the challenge is returned for a signed request only', async () => {
    const { webhookId } = await newWebhook(slack);
    const text = JSON.stringify({ type: 'url_verification', challenge: '3eZbrw1aBm2rZgRNFdxV2595E9CY' });
    expect(await postTo(webhookId, bySlack(secret, text))).toEqual({
      status: 200,
      contentType: 'text/plain',
      text: '3eZbrw1aBm2rZgRNFdxV2595E9CY',
    });
    const forged = await postTo(webhookId, bySlack('another secret', text));
    expect(forged.status).toBe(401);
    expect(forged.text).not.toContain('3eZbrw1aBm2rZgRNFdxV2595E9CY');
  });

  test('an event and its retries have an empty answer and one run, with the type of the inner event', async () => {
    const webhook = await newWebhook(slack);
    const text = event();
    for (const [n, headers] of [
      {},
      { 'x-slack-retry-num': '1', 'x-slack-retry-reason': 'http_timeout' },
    ].entries())
      expect(await postTo(webhook.webhookId, bySlack(secret, text, -n, headers))).toMatchObject({
        status: 200,
        text: '',
      });
    await idle();
    const runs = await listRuns(webhook);
    expect(runs).toHaveLength(1);
    expect(await outputOf(webhook, runs[0]?.workflow_id)).toMatchObject({
      event: 'app_mention',
      data: { source: 'slack', body: { event: { text: 'hi' } } },
    });
  });

  test.each([
    [
      'a slash command',
      { command: '/refund', text: '1042', trigger_id: '1.2' },
      'slash_command',
      { command: '/refund', text: '1042', trigger_id: '1.2' },
    ],
    [
      'an interaction',
      { payload: '{"type":"block_actions","trigger_id":"1.3"}' },
      'block_actions',
      { type: 'block_actions', trigger_id: '1.3' },
    ],
  ])('%s is an event, with its form as the body', async (_what, form, type, body) => {
    const webhook = await newWebhook(slack);
    const text = new URLSearchParams(form).toString();
    expect((await postTo(webhook.webhookId, bySlack(secret, text))).status).toBe(200);
    await idle();
    const [run] = await listRuns(webhook);
    expect(await outputOf(webhook, run?.workflow_id)).toMatchObject({ event: type, data: { body } });
  });

  test('the check of the certificate starts nothing', async () => {
    const webhook = await newWebhook(slack);
    expect((await postTo(webhook.webhookId, bySlack(secret, 'ssl_check=1&token=x'))).status).toBe(200);
    await idle();
    expect(await listRuns(webhook)).toEqual([]);
  });
});

describe('400', () => {
  test.each([
    ['is no JSON', '{', 'malformed_json'],
    ['has a member that reaches for prototypes', '{"a":{"__proto__":1}}', 'validation_failed'],
    ['is nested too deep', `${'['.repeat(200)}${']'.repeat(200)}`, 'validation_failed'],
  ])('a signed body that %s', async (_what, text, code) => {
    const webhook = await newWebhook(hmac);
    const { problem } = await webhook.send({ text, headers: { 'x-signature': hmacHex(secret, text) } });
    expect(problem).toMatchObject({ status: 400, code });
  });

  test('an address that cannot be one is named', async () => {
    const { problem } = await sendTo('short', { text: '{}', headers: {} });
    expect(problem.errors).toMatchObject([{ pointer: '/path/webhookId' }]);
  });
});

describe('401', () => {
  test('an unknown address, a disabled trigger and every fault of a signature have the same answer', async () => {
    const [webhook, other] = [await newWebhook(github), await newWebhook(github)];
    const { agent, trigger_id, webhookId } = webhook;
    const off = await declareWebhook(agent, github, { enabled: false });
    const bare = await declareWebhook(agent, github);
    await call('deleteWebhookSecret', {
      key: agent.key,
      params: { flow_id: bare.trigger_id },
      query: { workspaceid: agent.workspaceid },
    });
    const another = 'a secret of another organisation';
    await setSourceSecret(other.agent, other.trigger_id, { secret: another, keep_former_hours: 0 });
    const good = byGithub(secret, push());
    const { 'x-hub-signature-256': signature = '', ...unsigned } = good.headers;
    const bad = (value: string) => ({
      text: good.text,
      headers: { ...unsigned, 'x-hub-signature-256': value },
    });
    const answers = [
      await sendTo(randomBytes(16).toString('base64url'), good),
      await sendTo(off.webhookId, good),
      await sendTo(bare.webhookId, good),
      await sendTo(other.webhookId, good),
      await webhook.send({ text: good.text, headers: unsigned }),
      await webhook.send({ ...good, text: `${good.text} ` }),
      await webhook.send(byGithub(another, push())),
      await webhook.send(byGithub('', push())),
      await webhook.send(bad(signature.replace('sha256=', 'sha1='))),
      await webhook.send(bad(signature.slice(0, -2))),
      await webhook.send(bad(`${signature}, ${signature}`)),
      await webhook.send(bad('sha256=')),
    ];
    const seen = answers.map(({ problem: { instance: _, ...rest } }) => JSON.stringify(rest));
    expect(new Set(seen).size).toBe(1);
    expect(answers[0]?.problem).toMatchObject({ status: 401, code: 'signature_invalid' });
    expect(seen[0]).not.toContain(trigger_id);
    // The address and the secret are good.
    expect((await sendTo(webhookId, good)).status).toBe(202);
    expect((await other.send(byGithub(another, push()))).status).toBe(202);
  });

  test.each([
    ['six minutes old', -360],
    ['six minutes ahead', 360],
  ])('a signature that is %s', async (_what, skew) => {
    const [chat, other] = [await newWebhook(slack), await newWebhook(stamped)];
    expect((await postTo(chat.webhookId, bySlack(secret, '{}', skew))).status).toBe(401);
    expect((await other.send(byStamped(secret, {}, skew))).status).toBe(401);
  });

  test('a trigger whose key was revoked starts nothing', async () => {
    const owner = await newWebhook(github);
    const key = {
      label: 'CI',
      scopes: ['assistants.flows:create', 'assistants.flows:update', 'assistants.flows:run'],
      workspaces: '*',
    };
    const { keyid, token } = (await call('createApiKey', { key: owner.agent.key, body: key })).body;
    const webhook = await declareWebhook({ ...owner.agent, key: token }, github);
    await call('revokeApiKey', { key: owner.agent.key, params: { keyid } });
    expect((await webhook.send(byGithub(secret, push()))).problem.code).toBe('signature_invalid');
    expect((await owner.send(byGithub(secret, push()))).status).toBe(202);
  });

  test('an API key is no credential here', async () => {
    const webhook = await newWebhook(github);
    const { key } = await newCaller();
    const sent = { text: '{}', headers: { authorization: `Bearer ${key}`, 'x-api-key': key } };
    expect((await webhook.send(sent)).problem.code).toBe('signature_invalid');
  });
});

test('413: a body beyond the limit of triggers is refused before it is verified', async () => {
  const { body_bytes } = limits.parse({});
  const text = JSON.stringify({ text: 'x'.repeat(body_bytes.trigger) });
  const { problem } = await (await newWebhook(hmac)).send({ text, headers: {} });
  expect(problem).toMatchObject({ status: 413, code: 'payload_too_large' });
});

// test/api/rate-limit.test.ts has 429 `rate_limited`.
test('405: the function itself refuses other methods, whatever they carry, and names its own', async () => {
  const { webhookId } = await newWebhook(github);
  const { headers } = byGithub(secret, {});
  for (const method of ['GET', 'PUT', 'OPTIONS', 'DELETE']) {
    const url = buildUrl(routes.receiveWebhook, { params: { webhookId } });
    const response = await fetch(url, { method, headers });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    expect(problem.parse(await response.json()).code).toBe('method_not_allowed');
  }
});
