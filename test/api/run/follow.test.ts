import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { newRunId } from '#lib/ids.ts';
import { acquirePermit, releasePermit } from '#lib/limits/concurrency-permit.ts';
import { requestLog } from '#lib/log.ts';
import { routes } from '#lib/routes/routes.ts';
import { flow } from '#test/support/builders.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { buildUrl, call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { eventFor, lambdaContext } from '#test/support/events.ts';
import { askingFlow, callingFlow, liveAgent, replyingFlow, type TestAgent } from '#test/support/flows.ts';
import { load } from '#test/support/invocation.ts';
import { cancelRun, resumeRun, startedRun } from '#test/support/run-calls.ts';
import { storedRuns } from '#test/support/stored-run.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const content = z.looseObject({ generation: z.number(), status: z.string() });
type Content = z.infer<typeof content> & { readonly id: number };

/** Events as they come, until the stream ends. */
async function* followed(
  agent: Pick<TestAgent, 'key'>,
  workflow_id: string,
  query: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
): AsyncGenerator<Content> {
  const response = await fetch(buildUrl(routes.followRun, { params: { workflow_id }, query }), {
    headers: { 'x-api-key': agent.key, ...headers },
  });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const parts = `${text}${chunk}`.split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) {
      const [, id, json] = /^id: (\d+)\ndata: (.*)$/.exec(part) ?? [];
      if (json !== undefined) yield { ...content.parse(JSON.parse(json)), id: Number(id) };
    }
  }
}

const eventData = z.looseObject({
  texts: z.array(z.object({ node_id: z.string(), key: z.string(), text: z.string() })).optional(),
  response: z.object({ said: z.string() }).optional(),
});

async function collected(events: AsyncIterable<Content>): Promise<Content[]> {
  const list: Content[] = [];
  for await (const event of events) list.push(event);
  return list;
}

const all = async (...args: Parameters<typeof followed>) => await collected(followed(...args));

describe('200', () => {
  test('the text of a model is streamed while it is written, and complete at the end', async () => {
    const nodes = {
      say: { type: 'llm', prompt: 'Greet the customer.', next: 'done' },
      done: { type: 'end', output: { said: '{{ nodes.say }}' } },
    };
    const agent = await liveAgent({ flow: flow({ start: 'say', nodes }) });
    const id = await startedRun(agent);
    await idle();
    const events = await all(agent, id);
    const texts = events.flatMap((event) => eventData.parse(event).texts ?? []);
    expect(texts.map(({ node_id, key }) => [node_id, key])).toContainEqual(['say', 'say.1']);
    expect(texts.map(({ text }) => text).join('')).toBe(eventData.parse(events.at(-1)).response?.said);
  });

  test('a run that has ended is sent from its first event to its last, numbered by generation', async () => {
    const agent = await liveAgent({ flow: replyingFlow() });
    const id = await startedRun(agent);
    await idle();
    const events = await all(agent, id);
    expect(events.map((event) => event.id)).toEqual(events.map((_, n) => n + 1));
    expect(events.map(({ generation }) => generation)).toEqual(events.map((event) => event.id));
    expect(events.at(-1)).toMatchObject({ status: 'completed', response: { answer: 'Hello' } });
    expect(JSON.stringify(events)).toContain('Looking.');
  });

  test('a client that reconnects continues after its last event, and its header takes precedence over the query', async () => {
    const agent = await liveAgent({ flow: replyingFlow() });
    const id = await startedRun(agent);
    await idle();
    const events = await all(agent, id);
    expect(await all(agent, id, { after: '1' })).toEqual(events.slice(1));
    expect(await all(agent, id, { after: '0' }, { 'last-event-id': '1' })).toEqual(events.slice(1));
  });

  test('the events of a run in progress are streamed until it ends, here by cancellation', async () => {
    const gate = unique('gate');
    const agent = await liveAgent({ flow: callingFlow(upstream, [`gate/${gate}`]) });
    const id = await startedRun(agent);
    await upstream.arrived(gate);
    const stream = followed(agent, id);
    expect((await stream.next()).value).toMatchObject({ status: 'working' });
    await cancelRun(agent, id);
    const rest = await collected(stream);
    expect(rest.at(-1)).toMatchObject({ status: 'canceled' });
  });

  test('a run that asks sends its question, and the stream stays open for the answer', async () => {
    const agent = await liveAgent({ flow: askingFlow() });
    const id = await startedRun(agent, 'order 7');
    const said: Content[] = [];
    for await (const event of followed(agent, id)) {
      said.push(event);
      if (event.status === 'input_required') await resumeRun(agent, id, { answer: 'no' });
    }
    expect(said.map(({ status }) => status)).toContain('input_required');
    expect(JSON.stringify(said)).toContain('Refund order 7?');
    expect(said.at(-1)).toMatchObject({ status: 'completed', response: { answered: 'no' } });
  });
});

describe('204', () => {
  const comesBack = (agent: TestAgent, workflow_id: string, seen: number) =>
    fetch(buildUrl(routes.followRun, { params: { workflow_id } }), {
      headers: { 'x-api-key': agent.key, 'last-event-id': String(seen) },
    });

  test('a client that has all events of a run that has ended gets 204, so that it does not reconnect', async () => {
    const agent = await liveAgent({ flow: replyingFlow() });
    const id = await startedRun(agent);
    await idle();
    const last = (await all(agent, id)).at(-1)?.id ?? 0;
    const answer = await comesBack(agent, id, last);
    expect([answer.status, await answer.text()]).toEqual([204, '']);
    expect(answer.headers.get('x-request-id')).toBeTruthy();
    expect((await comesBack(agent, id, last - 1)).status).toBe(200);
  });

  test('an abandoned run counts as ended once the client has received its failure', async () => {
    const agent = await liveAgent();
    const [abandoned] = await storedRuns(agent, 1, { status: 'working', deadline: 1 });
    const { run_id = '', generation = 0 } = abandoned ?? {};
    const first = await comesBack(agent, run_id, generation);
    expect(await first.text()).toMatch(new RegExp(`^id: ${generation + 1}\ndata: .*"status":"failed"`, 'm'));
    expect((await comesBack(agent, run_id, generation + 1)).status).toBe(204);
  });
});

describe('400', () => {
  test('an invalid generation is reported', async () => {
    const { problem } = await call('followRun', {
      key: (await newCaller()).key,
      params: { workflow_id: newRunId() },
      query: { after: '-1' },
    });
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/query/after']);
  });
});

describe('429', () => {
  test('streams of events take permits of followers, and return them', async () => {
    const agent = await liveAgent();
    const workflow_id = await startedRun(agent);
    const { buffered } = await load(() => import('#functions/run/follow.ts'));
    const event = eventFor('followRun', { key: agent.key, params: { workflow_id } });
    const follow = async () =>
      z.object({ statusCode: z.number() }).parse(await buffered(event, lambdaContext()));
    process.env.LIMITS = JSON.stringify({ org_followed_runs: 1 });
    try {
      const held = { orgid: agent.orgid, keyId: agent.id, untilMs: Date.now() + 60_000 };
      const slot = { ...held, use: 'follow', runId: newRunId() } as const;
      await acquirePermit(slot, Date.now());
      expect((await follow()).statusCode).toBe(429);
      await releasePermit(slot, requestLog({}));
      expect([(await follow()).statusCode, (await follow()).statusCode]).toEqual([200, 200]);
    } finally {
      delete process.env.LIMITS;
    }
  });
});

describe('404', () => {
  test('a missing run and one of another organisation give the same error', async () => {
    const agent = await liveAgent();
    const id = await startedRun(agent);
    const follow = async (key: string, workflow_id: string) =>
      (await call('followRun', { key, params: { workflow_id } })).problem;
    const foreign = await follow((await newCaller()).key, id);
    const missing = await follow(agent.key, newRunId());
    expect(missing.code).toBe('run_not_found');
    expect({ ...foreign, instance: '' }).toEqual({ ...missing, instance: '' });
  });
});
