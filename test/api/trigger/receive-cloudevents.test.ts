// CloudEvents at the address of a trigger, in both modes and with both credentials.
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { routes } from '#lib/routes/routes.ts';
import { buildUrl } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { signed } from '#test/support/signing.ts';
import { newWebhook, outputOf, secretOfTests, setSourceSecret } from '#test/support/webhook-senders.ts';

const standardSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const attributes = () => ({
  specversion: '1.0',
  id: randomUUID(),
  source: '/shops/grün',
  type: 'com.example.order.paid',
});
const data = { order: 1042 };

test('structured mode, signed according to Standard Webhooks: one run for source and id, however it is signed', async () => {
  const webhook = await newWebhook({ type: 'cloudevents' });
  await setSourceSecret(webhook.agent, webhook.trigger_id, { secret: standardSecret });
  const event = { ...attributes(), datacontenttype: 'application/json', data };
  const send = async (body: object, id: string, secret = standardSecret) => {
    const text = JSON.stringify(body);
    const headers = { ...signed({ secret, body: text, id }), 'content-type': 'application/cloudevents+json' };
    return await webhook.send({ text, headers });
  };
  const { triggerId } = (await send(event, 'one')).body;
  expect((await send(event, 'two')).body.triggerId).toBe(triggerId);
  expect((await send({ ...event, source: '/other' }, 'three')).body.triggerId).not.toBe(triggerId);
  await idle();
  expect(await outputOf(webhook, triggerId)).toEqual({
    event: event.type,
    data: { source: 'cloudevents', id: event.id, headers: {}, body: event },
  });
  const { problem } = await send({ ...event, id: '' }, 'four');
  expect(problem.errors).toMatchObject([{ pointer: '/body/id' }]);
  const former = await send({ ...event, specversion: '0.3' }, 'former');
  expect(former.problem.errors).toEqual([{ pointer: '/body/specversion', detail: 'must be `1.0`' }]);
  const refused = await send(event, 'five', `whsec_${Buffer.alloc(32, 8).toString('base64')}`);
  expect(refused.problem.code).toBe('signature_invalid');
});

test('a secret that is none of Standard Webhooks signs nothing, not even as an empty key', async () => {
  const webhook = await newWebhook({ type: 'cloudevents' });
  await setSourceSecret(webhook.agent, webhook.trigger_id, {
    secret: '................',
    keep_former_hours: 0,
  });
  const text = JSON.stringify(attributes());
  for (const secret of ['whsec_', '................']) {
    const { problem } = await webhook.send({ text, headers: signed({ secret, body: text, id: 'e' }) });
    expect(problem.code).toBe('signature_invalid');
  }
});

test('binary mode, with the secret as a bearer token: the flow gets the same event', async () => {
  const webhook = await newWebhook({
    type: 'cloudevents',
    credential: 'bearer',
    events: ['com.example.order.paid'],
  });
  const event = attributes();
  const ce = Object.entries(event).map(([name, value]) => [`ce-${name}`, encodeURIComponent(value)]);
  const headers = {
    ...Object.fromEntries(ce),
    'content-type': 'application/json',
    authorization: `Bearer ${secretOfTests}`,
  };
  const text = JSON.stringify(data);
  const { body } = await webhook.send({ text, headers });
  await idle();
  expect(await outputOf(webhook, body.triggerId)).toMatchObject({
    event: event.type,
    data: { id: event.id, body: { ...event, datacontenttype: 'application/json', data } },
  });
  const { problem } = await webhook.send({
    text,
    headers: { ...headers, authorization: `Bearer ${secretOfTests}x` },
  });
  expect(problem.code).toBe('signature_invalid');
  const { 'ce-source': _, ...without } = headers;
  const incomplete = await webhook.send({ text, headers: without });
  expect(incomplete.problem.errors).toMatchObject([{ pointer: '/headers/ce-source' }]);
  const other = await webhook.send({ text, headers: { ...headers, 'ce-type': 'com.example.other' } });
  expect(other.body.status).toBe('ignored');
});

test('a batch is refused with the content types that are accepted', async () => {
  const webhook = await newWebhook({ type: 'cloudevents', credential: 'bearer' });
  const { problem } = await webhook.send({
    text: JSON.stringify([attributes(), attributes()]),
    headers: {
      'content-type': 'application/cloudevents-batch+json; charset=utf-8',
      authorization: `Bearer ${secretOfTests}`,
    },
  });
  expect(problem.errors).toEqual([
    {
      pointer: '/headers/content-type',
      detail: expect.stringMatching(/`application\/cloudevents\+json`.*batches are not accepted/),
    },
  ]);
});

describe('binary mode, content that is not JSON', () => {
  const send = async (webhook: Awaited<ReturnType<typeof newWebhook>>, type: string, text: string) => {
    const ce = Object.entries(attributes()).map(([name, value]) => [`ce-${name}`, encodeURIComponent(value)]);
    const headers = {
      ...Object.fromEntries(ce),
      'content-type': type,
      authorization: `Bearer ${secretOfTests}`,
    };
    return await webhook.send({ text, headers });
  };
  const bearer = { type: 'cloudevents', credential: 'bearer' };

  test.each([
    ['application/octet-stream', 'grün', { data_base64: Buffer.from('grün').toString('base64') }],
    ['application/x-protobuf; messageType=a', '\b\u0001', { data_base64: 'CAE=' }],
    ['text/csv; charset=utf-8', 'a,b', { data: 'a,b' }],
    ['application/soap+xml', '<a/>', { data: '<a/>' }],
  ])('%s', async (type, text, content) => {
    const webhook = await newWebhook(bearer);
    const { body } = await send(webhook, type, text);
    await idle();
    const { specversion } = attributes();
    expect(await outputOf(webhook, body.triggerId)).toEqual({
      event: 'com.example.order.paid',
      data: {
        ...{ source: 'cloudevents', id: expect.any(String), headers: {} },
        body: {
          ...{ specversion, id: expect.any(String), source: '/shops/grün', type: 'com.example.order.paid' },
          ...{ datacontenttype: type.toLowerCase(), ...content },
        },
      },
    });
  });

  test('bytes that were not UTF-8, and are replaced before they arrive, are refused', async () => {
    const { problem } = await send(await newWebhook(bearer), 'application/octet-stream', 'a\ufffd');
    expect(problem.errors).toMatchObject([
      { pointer: '/body', detail: expect.stringContaining('data_base64') },
    ]);
  });
});

describe('the handshake', () => {
  const ask = async (webhookId: string, headers: Readonly<Record<string, string>>) =>
    await fetch(buildUrl(routes.receiveWebhook, { params: { webhookId } }), { method: 'OPTIONS', headers });
  const seenIn = ({ status, headers }: Response) => {
    const named = [...headers].filter(([name]) => !/^date$|^x-amzn?-|-id$/.test(name));
    return { status, headers: Object.fromEntries(named) };
  };

  test('every address has the same answer, also one that does not exist or has another source', async () => {
    const addresses = [
      (await newWebhook({ type: 'cloudevents' })).webhookId,
      (await newWebhook({ type: 'github' })).webhookId,
      randomBytes(16).toString('base64url'),
    ];
    // As Azure Event Grid asks.
    const asked = { 'webhook-request-origin': 'eventgrid.azure.net', 'webhook-request-rate': '120' };
    const answers = await Promise.all(addresses.map(async (each) => seenIn(await ask(each, asked))));
    expect(answers).toEqual(addresses.map(() => answers[0]));
    expect(answers[0]).toMatchObject({
      status: 200,
      headers: { 'webhook-allowed-origin': '*', 'webhook-allowed-rate': expect.stringMatching(/^[1-9]\d*$/) },
    });
    // Pages of other origins may not read it.
    expect(answers[0]?.headers).not.toHaveProperty('access-control-allow-origin');
  });

  test('OPTIONS without its header is refused as before, as preflights of browsers are', async () => {
    const { webhookId } = await newWebhook({ type: 'cloudevents' });
    const preflight = { origin: 'https://page.example', 'access-control-request-method': 'POST' };
    for (const headers of [{}, preflight]) {
      const answer = await ask(webhookId, headers);
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
    }
  });

  test('other paths do not take part in it', async () => {
    const url = buildUrl(routes.acceptWebhook, { params: { flow_id: 'any' } });
    const answer = await fetch(url, {
      method: 'OPTIONS',
      headers: { 'webhook-request-origin': 'a.example' },
    });
    expect([answer.status, answer.headers.get('webhook-allowed-origin')]).toEqual([405, null]);
  });
});
