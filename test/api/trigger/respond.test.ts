// Triggers with `respond: result`: an event is answered with the result of its run, at both addresses.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '#lib/json/json.ts';
import { routes } from '#lib/routes/routes.ts';
import { flow } from '#test/support/builders.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { buildUrl, call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { askingFlow, callingFlow, failingFlow, liveAgent, type TestAgent } from '#test/support/flows.ts';
import { declare, newTrigger, triggerBody } from '#test/support/triggers.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';
import {
  byGithub,
  bySlack,
  byTwilio,
  declareWebhook,
  secretOfTests as secret,
  sendTo,
} from '#test/support/webhook-senders.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const respond = { respond: 'result' };
const github = { type: 'github' };
const endingFlow = (output: JsonObject) => flow({ nodes: { done: { type: 'end', output } } });
const echoingFlow = endingFlow({ event: '{{ input.event.event }}', data: '{{ input.event.data }}' });

/** A trigger without a source: events come with a key. */
async function newAnswering(ended: object) {
  const agent = await liveAgent({ flow: ended });
  const { trigger_id } = await newTrigger(agent, { kind: 'webhook', ...respond });
  const send = async (body: object = { event: 'order.paid' }, name: string = randomUUID()) =>
    await call('acceptWebhook', {
      key: agent.key,
      params: { flow_id: trigger_id },
      body,
      headers: { 'Idempotency-Key': name },
    });
  return { agent, trigger_id, send };
}

/** A trigger with a source. */
const newAnsweringWebhook = async (source: object, ended: object) =>
  await declareWebhook(await liveAgent({ flow: ended }), source, respond);

const statusOf = async (agent: Pick<TestAgent, 'key'>, location: string | null) => {
  const [, workspace_id = '', workflow_id = ''] = /status\/([^/]+)\/([^/]+)$/.exec(location ?? '') ?? [];
  return await call('getRun', { key: agent.key, params: { workspace_id, workflow_id } });
};

const contentOf = ({ status, headers, text }: Awaited<ReturnType<typeof sendTo>>) => ({
  status,
  type: headers.get('content-type'),
  text,
});

describe('200', () => {
  test('an event with a key is answered with the output of its run', async () => {
    const { send } = await newAnswering(echoingFlow);
    const answer = await send({ event: 'order.paid', data: { id: 7 } });
    expect(contentOf(answer)).toEqual({
      status: 200,
      type: 'application/json',
      text: JSON.stringify({ event: 'order.paid', data: { id: 7 } }),
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('an event of a source is answered with the output of its run', async () => {
    const webhook = await newAnsweringWebhook(github, echoingFlow);
    const answer = await webhook.send(byGithub(secret, { ref: 'main' }));
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toMatchObject({ event: 'push', data: { body: { ref: 'main' } } });
  });

  test('an event that is sent again, at the same time or later, has one run and the result of the first', async () => {
    const name = unique('count');
    const webhook = await newAnsweringWebhook(github, callingFlow(upstream, [`count/${name}`]));
    const sent = byGithub(secret, { ref: 'main' });
    const answers = await Promise.all([webhook.send(sent), webhook.send(sent), webhook.send(sent)]);
    answers.push(await webhook.send(sent));
    expect(answers.map(({ status, text }) => `${status} ${text}`)).toEqual(
      Array.from({ length: 4 }, () => '200 {"done":true}'),
    );
    await idle();
    expect(upstream.calls(name)).toBe(1);
  });

  test('events of other types, and tests of the address, are not waited for', async () => {
    const webhook = await newAnsweringWebhook({ ...github, events: ['push'] }, echoingFlow);
    for (const type of ['ping', 'issues'])
      expect((await webhook.send(byGithub(secret, {}, { 'x-github-event': type }))).body).toEqual({
        status: 'ignored',
      });
  });
});

describe('the answer that a flow shapes', () => {
  const say = (webhook_response: JsonObject) => endingFlow({ other: 'not sent', webhook_response });
  test.each<[string, JsonObject, { status: number; type: string | null; text: string }]>([
    ['a text', { body: 'Thanks' }, { status: 200, type: 'text/plain; charset=utf-8', text: 'Thanks' }],
    [
      'JSON of its own',
      { status: 201, body: { text: 'Grüße' } },
      { status: 201, type: 'application/json', text: '{"text":"Grüße"}' },
    ],
    [
      'a text that is JSON',
      { content_type: 'application/json', body: 'Thanks' },
      { status: 200, type: 'application/json', text: '"Thanks"' },
    ],
    [
      'XML',
      { content_type: 'application/xml', body: '<a>ü</a>' },
      { status: 200, type: 'application/xml; charset=utf-8', text: '<a>ü</a>' },
    ],
    [
      'a refusal',
      { status: 409, body: { reason: 'sold out' } },
      { status: 409, type: 'application/json', text: '{"reason":"sold out"}' },
    ],
    ['nothing', {}, { status: 200, type: 'application/json', text: '' }],
  ])('%s', async (_what, shaped, expected) => {
    const { agent, trigger_id } = await newAnswering(say(shaped));
    const url = buildUrl(routes.acceptWebhook, { params: { flow_id: trigger_id } });
    const response = await fetch(url, {
      method: 'POST',
      body: '{"event":"order.paid"}',
      headers: { authorization: `Bearer ${agent.key}`, 'content-type': 'application/json' },
    });
    const type = response.headers.get('content-type');
    expect({ status: response.status, type, text: await response.text() }).toEqual(expected);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
  });

  test('TwiML for Twilio; an output without it is answered with no instructions', async () => {
    const twiml = '<Response><Message>On its way</Message></Response>';
    const flows = [say({ content_type: 'text/xml', body: twiml }), endingFlow({ done: true })];
    for (const [n, expected] of [
      { type: 'text/xml; charset=utf-8', text: twiml },
      { type: 'text/xml', text: '<Response/>' },
    ].entries()) {
      const { webhookId } = await newAnsweringWebhook({ type: 'twilio' }, flows[n] ?? {});
      const url = buildUrl(routes.receiveWebhook, { params: { webhookId } });
      const answer = await sendTo(webhookId, byTwilio(secret, url, { MessageSid: randomUUID() }));
      expect(contentOf(answer)).toEqual({ status: 200, ...expected });
    }
  });

  test('JSON for a slash command of Slack', async () => {
    const answer = { response_type: 'in_channel', text: 'Refunded {{ input.event.data.body.text }}' };
    const { webhookId } = await newAnsweringWebhook({ type: 'slack' }, endingFlow(answer));
    const command = new URLSearchParams({ command: '/refund', text: '1042', trigger_id: randomUUID() });
    const { status, text } = await sendTo(webhookId, bySlack(secret, command.toString()));
    expect({ status, ...JSON.parse(text) }).toEqual({ status: 200, ...answer, text: 'Refunded 1042' });
  });

  test.each<[string, JsonObject, string]>([
    ['a page', { content_type: 'text/html', body: '<b>' }, 'webhook_response.content_type'],
    ['a redirect', { status: 302 }, 'webhook_response.status'],
    ['a failure of the service', { status: 500 }, 'webhook_response.status'],
    ['headers', { headers: { 'set-cookie': 'a=1' } }, 'webhook_response.headers'],
    ['an object as XML', { content_type: 'text/xml', body: { a: 1 } }, 'webhook_response.body'],
  ])('%s is not sent: 422 names the member', async (_what, shaped, member) => {
    const { send } = await newAnswering(say(shaped));
    const { problem } = await send();
    expect(problem).toMatchObject({ status: 422, code: 'run_failed' });
    expect(problem.detail).toContain(member);
  });
});

describe('202', () => {
  test('a run that waits for somebody: Location is its status', async () => {
    const { agent, send } = await newAnswering(askingFlow());
    const { status, headers, body } = await send();
    expect({ status, accepted: body.status }).toEqual({ status: 202, accepted: 'accepted' });
    const state = await statusOf(agent, headers.get('location'));
    expect(state.body).toMatchObject({ workflow_id: body.triggerId, status: 'input_required' });
    const { problem } = await statusOf(await newCaller(), headers.get('location'));
    expect(problem.code).toBe('run_not_found');
  });

  test('Slack is answered in time, and again with the result of the run that took longer', async () => {
    const name = unique('gate');
    const webhook = await newAnsweringWebhook({ type: 'slack' }, callingFlow(upstream, [`gate/${name}`]));
    const sent = bySlack(secret, `trigger_id=${randomUUID()}&command=%2Frefund`);
    const startedAt = performance.now();
    const answer = await webhook.send(sent);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    expect(contentOf(answer)).toEqual({ status: 200, type: 'text/plain', text: '' });
    upstream.open(name);
    await idle();
    const { body } = await statusOf(webhook.agent, answer.headers.get('location'));
    expect(body).toMatchObject({ status: 'completed', response: { done: true } });
    expect((await webhook.send(sent)).text).toBe('{"done":true}');
  });

  test('an output that is too large for an answer is at Location', async () => {
    const text = '{{ input.event.data.text }}';
    const { agent, send } = await newAnswering(endingFlow({ texts: [text, text, text, text, text] }));
    const { status, headers } = await send({ event: 'long', data: { text: 'x'.repeat(200_000) } });
    expect(status).toBe(202);
    expect((await statusOf(agent, headers.get('location'))).body.response.texts).toHaveLength(5);
  });
});

describe('422', () => {
  test('a run that failed: its id, and nothing of its error', async () => {
    const webhook = await newAnsweringWebhook(github, failingFlow());
    const sent = byGithub(secret, { secret_word: 'sesame' });
    const { problem } = await webhook.send(sent);
    expect(problem).toMatchObject({ status: 422, code: 'run_failed' });
    expect(problem.detail).toMatch(/^The run [\w-]+ failed\.$/);
    const again = await webhook.send(sent);
    expect(again.problem.detail).toBe(problem.detail);
  });
});

describe('401', () => {
  test('whoever cannot sign learns nothing about such a trigger', async () => {
    const webhook = await newAnsweringWebhook(github, echoingFlow);
    const sent = byGithub(secret, { ref: 'main' });
    expect((await webhook.send(sent)).status).toBe(200);
    const forged = {
      ...sent,
      headers: { ...sent.headers, 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
    };
    const answers = [await webhook.send(forged), await sendTo('A'.repeat(22), forged)];
    const [known, unknown] = answers.map(({ problem: { instance: _, ...rest } }) => rest);
    expect(known).toEqual(unknown);
    expect(known?.code).toBe('signature_invalid');
  });
});

test('the same names in another organisation have a run and a result of their own', async () => {
  const [own, foreign] = [await newAnswering(echoingFlow), await newAnswering(echoingFlow)];
  const trigger_id = own.trigger_id;
  const body = triggerBody(foreign.agent, { trigger_id, kind: 'webhook', ...respond });
  await declare(foreign.agent, body);
  const name = randomUUID();
  const send = async (key: string, of: string) =>
    (
      await call('acceptWebhook', {
        key,
        params: { flow_id: trigger_id },
        body: { event: 'order.paid', data: { of } },
        headers: { 'Idempotency-Key': name },
      })
    ).text;
  expect(await send(own.agent.key, 'ours')).toContain('ours');
  expect(await send(foreign.agent.key, 'theirs')).toContain('theirs');
});

describe('400', () => {
  test('is only for webhooks that start runs', async () => {
    const agent = await liveAgent();
    const refused = async (some: object) =>
      (await declare(agent, triggerBody(agent, { ...respond, ...some }))).problem.errors;
    expect(await refused({ kind: 'api' })).toEqual([
      { pointer: '/body/respond', detail: 'is only for triggers of kind webhook' },
    ]);
    expect(await refused({ kind: 'webhook', deliver: { key: 'a' } })).toEqual([
      { pointer: '/body/respond', detail: 'is not for triggers that deliver, which start no run' },
    ]);
  });

  test('a trigger shows what it answers, and a replacement without it answers at once', async () => {
    const { agent, trigger_id, send } = await newAnswering(echoingFlow);
    const params = { trigger_id };
    expect((await call('getTrigger', { key: agent.key, params })).body.respond).toBe('result');
    await call('updateTrigger', { key: agent.key, params, body: { flowid: agent.flowid } });
    expect((await send()).status).toBe(202);
  });
});
