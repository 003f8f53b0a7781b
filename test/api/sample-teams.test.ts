// Sample flows that work with other systems, over HTTP: a chat whose events Slack signs, a report to an e-mail
// API, refunds that a person approves, and answers that cite what a search found. The models are scripted and behind HTTP too.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { bearer, putConnection } from '#test/support/connections.ts';
import { idle } from '#test/support/control.ts';
import { type ApiRequest, liveSample, startApi, type TestApi } from '#test/support/live-sample.ts';
import { newModelScript, scriptedModels } from '#test/support/model-script.ts';
import { resumeRun, runState, startedRun } from '#test/support/run-calls.ts';
import { newTrigger } from '#test/support/triggers.ts';
import { bySlack, declareWebhook, postTo, secretOfTests } from '#test/support/webhook-senders.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi(answer);
});
beforeEach(() => {
  api.requests.length = 0;
});
afterAll(() => api.close());

/** Slack, the shop, the e-mail service, and the search, which can be down. */
function answer({ method, path }: ApiRequest): object | undefined {
  if (path.startsWith('/manuals?')) return findPassages(path);
  if (path.startsWith('/orders?'))
    return {
      orders: [
        { id: '1042', amount: 12.5 },
        { id: '1043', amount: 30.05 },
      ],
    };
  if (path.startsWith('/orders/')) return method === 'POST' ? { id: 're_1' } : { paid_cents: 4900 };
  return { ok: true };
}

/** A caller that has stored a token for the API. */
async function withConnection(name: string) {
  const caller = await newCaller();
  await putConnection(caller, name, bearer(`${name}-token`, { hosts: [api.host] }));
  return caller;
}

const modelRequest = z.object({ messages: z.array(z.object({ role: z.string(), content: z.unknown() })) });
const readMessages = (asked: string) =>
  modelRequest
    .parse(JSON.parse(asked))
    .messages.filter(({ role }) => role !== 'system')
    .map(({ role, content }) => `${role}: ${String(content).replace(/ script_\w+/, '')}`);

describe('support-chat', () => {
  const live = async () => {
    const caller = await withConnection('slack');
    const places = { 'slack.com': api.url };
    const agent = await liveSample('support-chat', { places, models: scriptedModels, caller });
    return await declareWebhook(agent, { type: 'slack' });
  };
  type Chat = Awaited<ReturnType<typeof live>>;

  const slackEvent = (event: object) => {
    const body = { type: 'event_callback', event_id: unique('Ev'), event };
    return bySlack(secretOfTests, JSON.stringify(body));
  };

  /** What the model is asked when somebody writes this in a thread. */
  async function say({ webhookId }: Chat, text: string, place: { ts: string; thread_ts?: string }) {
    const script = newModelScript();
    const event = {
      type: 'app_mention',
      channel: 'C1',
      text: `<@U0LAN0Z89> ${text} ${script.prompt}`,
      ...place,
    };
    await postTo(webhookId, slackEvent(event));
    const asked = await script.answer(`re: ${text}`);
    await idle();
    return readMessages(asked);
  }

  test('remembers what was said in a thread over three turns, and answers there', async () => {
    const chat = await live();
    const thread_ts = '1.0';
    expect(await say(chat, 'It is broken.', { ts: thread_ts })).toEqual(['user: It is broken.']);
    await say(chat, 'Order 1042.', { ts: '2.0', thread_ts });
    expect(await say(chat, 'And now?', { ts: '3.0', thread_ts })).toEqual([
      'user: It is broken.',
      'assistant: re: It is broken.',
      'user: Order 1042.',
      'assistant: re: Order 1042.',
      'user: And now?',
    ]);
    expect(api.requests).toEqual(
      ['It is broken.', 'Order 1042.', 'And now?'].map((text) => ({
        method: 'POST',
        path: '/api/chat.postMessage',
        authorization: 'Bearer slack-token',
        body: { channel: 'C1', thread_ts, text: `re: ${text}` },
      })),
    );
  });

  test('knows nothing of another thread, and does not answer itself', async () => {
    const chat = await live();
    await say(chat, 'It is broken.', { ts: '1.0' });
    expect(await say(chat, 'Hello.', { ts: '9.0' })).toEqual(['user: Hello.']);
    await postTo(
      chat.webhookId,
      slackEvent({ type: 'message', channel: 'C1', ts: '9.1', bot_id: 'B1', text: 're' }),
    );
    await idle();
    expect(api.requests).toHaveLength(2);
  });
});

test('nightly-report sends the numbers of the day before, with what the model says about them', async () => {
  const caller = await withConnection('mail');
  const places = { 'sales.example.com': api.url, 'mail.example.com': api.url };
  const agent = await liveSample('nightly-report', { places, caller });
  const user_variables = { to: 'owner@example.com' };
  // Delivers the event that the clock does.
  const { trigger_id } = await newTrigger(agent, { kind: 'webhook', user_variables });
  const body = { event: 'schedule', data: { scheduled_at: '2026-05-02T01:30:00Z' } };
  await call('acceptWebhook', { key: agent.key, params: { flow_id: trigger_id }, body });
  await idle();
  expect(api.requests).toEqual([
    { method: 'GET', path: '/orders?day=2026-05-01', authorization: undefined, body: undefined },
    {
      method: 'POST',
      path: '/v1/messages',
      authorization: 'Bearer mail-token',
      body: {
        to: 'owner@example.com',
        subject: 'Sales of 2026-05-01: 42.55 EUR',
        text: expect.stringMatching(/^2 orders, 42\.55 EUR\.\n\n./),
      },
    },
  ]);
});

describe('refund-desk', () => {
  const proposed = { order_id: '1042', amount_cents: 4900, reason: 'broken' };
  const approved = { order_id: '1042', amount_cents: 1500, reason: 'used for a year' };

  /** A run that waits for the approval of a refund. */
  async function proposedRefund() {
    const caller = await withConnection('shop');
    const places = { 'shop.example.com': api.url };
    const agent = await liveSample('refund-desk', { places, models: scriptedModels, caller });
    const script = newModelScript();
    const id = await startedRun(agent, `My lamp 1042 is broken. ${script.prompt}`);
    await script.callTool('find_order', { order_id: '1042' }, 1);
    await script.callTool('refund', proposed, 2);
    await idle();
    const [request] = (await runState(agent, id)).input_requests ?? [];
    const resume = (answer: object) => resumeRun(agent, id, { answer, id: request?.id });
    return { agent, id, script, request, resume };
  }
  const paid = () => api.requests.filter(({ method }) => method === 'POST').map(({ body }) => body);

  test('pays the amount that a person has changed, once, and tells the model', async () => {
    const { agent, id, script, request, resume } = await proposedRefund();
    expect(request?.prompt).toContain('4900');
    expect(paid()).toEqual([]);
    expect((await resume({ approved: true, arguments: approved })).status).toBe(202);
    const asked = await script.answer('You get 15 EUR back.', 3);
    await idle();
    expect(asked).toContain('1500');
    expect(paid()).toEqual([{ amount_cents: 1500, reason: 'used for a year' }]);
    expect(await runState(agent, id)).toMatchObject({
      status: 'completed',
      response: {
        answer: 'You get 15 EUR back.',
        refunded: { order_id: '1042', amount_cents: 1500, refund_id: 're_1' },
      },
    });
  });

  test('refuses arguments that the tool does not take, and the question stays open', async () => {
    const { agent, id, resume } = await proposedRefund();
    const { problem } = await resume({ approved: true, arguments: { ...approved, amount_cents: 0 } });
    expect(problem.status).toBe(400);
    expect((await runState(agent, id)).status).toBe('input_required');
    expect(paid()).toEqual([]);
  });

  test('pays nothing that a person denies', async () => {
    const { agent, id, script, resume } = await proposedRefund();
    await resume({ approved: false, reason: 'The photo shows another lamp.' });
    expect(await script.answer('I am sorry.', 3)).toContain('The photo shows another lamp.');
    await idle();
    expect(paid()).toEqual([]);
    expect(await runState(agent, id)).toMatchObject({ response: { refunded: null } });
  });
});

const passages = [
  { excerpt: 'Unplug the lamp first.', url: 'https://manuals.example.com/lumo#4', score: 0.9 },
  { excerpt: 'Turn the bulb left.', url: 'https://manuals.example.com/lumo#5', score: 0.8 },
  { excerpt: 'Wash at 40 degrees.', url: 'https://manuals.example.com/rug#1', score: 0.1 },
];

/** By the query: nothing for one that no manual answers, and no answer of the search while it is down. */
function findPassages(path: string): object | undefined {
  const query = new URL(path, api.url).searchParams.get('q');
  if (query === 'down') return undefined;
  return { hits: query === 'bulb' ? passages : [] };
}

describe('manual-answers', () => {
  /** A run whose agent searches for each of these, and what the model was asked in its turns. */
  async function searched(...queries: readonly string[]) {
    const caller = await withConnection('search');
    const places = { 'search.example.com': api.url };
    const agent = await liveSample('manual-answers', { places, models: scriptedModels, caller });
    const script = newModelScript();
    const id = await startedRun(agent, `How do I change the bulb? ${script.prompt}`);
    const asked: string[] = [];
    for (const [index, query] of queries.entries())
      asked.push(await script.callTool('search_manuals', { query }, index + 1));
    const ended = async () => {
      await idle();
      return await runState(agent, id);
    };
    return { script, asked, ended };
  }

  test('answers with citations of the passages that were found', async () => {
    const { script, asked, ended } = await searched('bulb');
    const answer = 'Unplug it [1], then turn the bulb left [2].';
    const answering = await script.answer(answer, 2);
    expect(await ended()).toMatchObject({
      status: 'completed',
      response: {
        status: 'answered',
        answer,
        citations: [
          { id: 1, source: 'https://manuals.example.com/lumo#4', text: 'Unplug the lamp first.' },
          { id: 2, source: 'https://manuals.example.com/lumo#5', text: 'Turn the bulb left.' },
        ],
      },
    });
    expect(api.requests).toEqual([
      {
        method: 'GET',
        path: '/manuals?q=bulb&limit=4',
        authorization: 'Bearer search-token',
        body: undefined,
      },
    ]);
    expect(JSON.parse(asked[0] ?? '')).toMatchObject({
      tool_choice: { function: { name: 'search_manuals' } },
    });
    expect(answering).toContain('Unplug the lamp first.');
    expect(answering).not.toContain('Wash at 40 degrees.');
  });

  test('says that the manuals do not say it when nothing is found, whatever the model answers', async () => {
    const { script, ended } = await searched('moon', 'stars');
    await script.answer('It is made of cheese [1].', 3);
    expect(await ended()).toMatchObject({
      status: 'completed',
      response: { status: 'not_found', answer: 'The manuals do not say.', citations: [] },
    });
  });

  test('answers nothing while the search is down, and the model is told so', async () => {
    const { script, ended } = await searched('down');
    expect(await script.answer('From memory: turn it right.', 2)).toMatch(/Error: .{0,40}503/);
    expect(await ended()).toMatchObject({ status: 'completed', response: { status: 'unavailable' } });
  });

  test('catches an agent that searches in vain until its last turn', async () => {
    const { ended } = await searched('down', 'down', 'down', 'down', 'down');
    expect(await ended()).toMatchObject({ status: 'completed', response: { status: 'unavailable' } });
    expect(api.requests).toHaveLength(5);
  });
});
