// What models write to A2A callers, while they write it: the model of these tests writes on when the client
// has what it wrote before.
import { type StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { describe, expect, test } from 'vitest';
import { readEvents } from '#lib/run/run-items.ts';
import { readReplies } from '#lib/run/state.ts';
import { runQueued } from '#lib/worker/run-queued.ts';
import { agentUrls, asTask, officialClient, sending } from '#test/support/a2a.ts';
import { flow } from '#test/support/builders.ts';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { type ModelScript, newModelScript, scriptedModels } from '#test/support/model-script.ts';
import { eventually, expireLease, webhookMessage } from '#test/support/runs.ts';
import { longShift } from '#test/support/worker.ts';

const newClient = async (agent: TestAgent) => await officialClient(agentUrls(agent).agent, agent.key);

/** A node that tells the caller what the model writes by that script. */
const streamingNode = ({ prompt }: Pick<ModelScript, 'prompt'>, some: object = {}) => ({
  type: 'llm',
  prompt,
  stream: true,
  ...some,
});

const answering = (script: ModelScript, some: object = {}) =>
  flow({
    models: scriptedModels,
    start: 'answer',
    nodes: {
      answer: streamingNode(script, { ...some, next: 'done' }),
      done: { type: 'end', output: { answer: '{{ nodes.answer }}' } },
    },
  });

interface Chunk {
  readonly id: string;
  readonly text: unknown;
  readonly append: boolean;
  readonly isLast: boolean;
}

/** Chunks of artifacts as they come, without the response. */
async function* chunks(stream: AsyncIterable<StreamResponse>): AsyncGenerator<Chunk> {
  for await (const { payload } of stream) {
    if (payload?.$case !== 'artifactUpdate' || payload.value.artifact?.artifactId === 'response') continue;
    const { artifact, append, lastChunk } = payload.value;
    const text = artifact?.parts[0]?.content?.value;
    yield { id: artifact?.artifactId ?? '', text, append, isLast: lastChunk };
  }
}

/** Artifacts beside the response, as far as they are texts. */
const readTexts = ({ artifacts }: Task) =>
  artifacts
    .filter(({ artifactId }) => artifactId !== 'response')
    .map(({ artifactId, parts }) => [artifactId, parts.map(({ content }) => content?.value).join('')]);

const readTask = async (client: Client, id: string) => await client.getTask({ id, tenant: '' });

/** A run in this request, its task and its chunks. */
async function streamed(client: Client) {
  const stream = client.sendMessageStream(sending('x'));
  const { value: first } = await stream.next();
  const id = first?.payload?.$case === 'task' ? first.payload.value.id : '';
  return { id, coming: chunks(stream) };
}

const queuedTask = async (client: Client) =>
  asTask(await client.sendMessage(sending('x', { configuration: { returnImmediately: true } })));

/** All that still comes, with the text that it makes of what was there. */
async function rest(coming: AsyncIterable<Chunk>, before = '') {
  let text = before;
  const lasts: boolean[] = [];
  for await (const chunk of coming) {
    text = `${chunk.append ? text : ''}${chunk.text}`;
    lasts.push(chunk.isLast);
  }
  return { text, lasts };
}

describe('a node with `stream`', () => {
  test('streams the text of the model while it is written, and nothing that is not stored', async () => {
    const script = newModelScript();
    const client = await newClient(await liveAgent({ flow: answering(script) }));
    const { id, coming } = await streamed(client);
    const unfinished = { id: 'answer.1', isLast: false };
    await script.say('Once ');
    expect((await coming.next()).value).toEqual({ ...unfinished, text: 'Once ', append: false });
    await script.say('upon ');
    expect((await coming.next()).value).toEqual({ ...unfinished, text: 'upon ', append: true });
    const meanwhile = await readTask(client, id);
    expect(meanwhile.status?.state).toBe(TaskState.TASK_STATE_WORKING);
    expect(readTexts(meanwhile)).toEqual([['answer.1', 'Once upon ']]);

    await script.say('a time');
    await script.end();
    const { text, lasts } = await rest(coming, 'Once upon ');
    expect(text).toBe('Once upon a time');
    expect(lasts.filter(Boolean)).toEqual([true]);
    expect(lasts.at(-1)).toBe(true);
    const task = await readTask(client, id);
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(readTexts(task)).toEqual([['answer.1', text]]);
  });

  test('streams the same to subscribers, each from the time of its subscription', async () => {
    const script = newModelScript();
    const client = await newClient(await liveAgent({ flow: answering(script) }));
    const { id } = await queuedTask(client);
    const early = chunks(client.resubscribeTask({ id, tenant: '' }));
    await script.say('Once ');
    expect((await early.next()).value).toMatchObject({ text: 'Once ', append: false });
    const stream = client.resubscribeTask({ id, tenant: '' });
    const { value: seen } = await stream.next();
    expect(seen?.payload?.$case === 'task' && readTexts(seen.payload.value)).toEqual([['answer.1', 'Once ']]);
    await script.say('upon a time');
    await script.end();
    const [all, later] = await Promise.all([rest(early, 'Once '), rest(chunks(stream), 'Once ')]);
    expect(all).toEqual(later);
    expect(all.text).toBe('Once upon a time');
  });

  test('returns the whole text to a client that waits', async () => {
    const script = newModelScript();
    const client = await newClient(await liveAgent({ flow: answering(script) }));
    const waiting = client.sendMessage(sending('x'));
    await script.say('Once upon a time');
    await script.end();
    expect(readTexts(asTask(await waiting))).toEqual([['answer.1', 'Once upon a time']]);
  });

  test.each([
    ['another attempt', { retry: { max_attempts: 2, delay_ms: 0, on: ['model.*'] } }, scriptedModels],
    [
      'a fallback',
      {},
      { default: { model: 'scripted', fallback: 'other' }, other: { model: 'scripted', temperature: 0 } },
    ],
  ])('replaces the text that was sent when %s writes it', async (_, some, models) => {
    const script = newModelScript();
    const agent = await liveAgent({ flow: { ...answering(script, some), models } });
    const client = await newClient(agent);
    const { id, coming } = await streamed(client);
    await script.say('Wrong');
    expect((await coming.next()).value).toMatchObject({ text: 'Wrong', append: false });
    await script.breakOff();
    await script.say('Right', 2);
    expect((await coming.next()).value).toMatchObject({ text: 'Right', append: false });
    await script.end(2);
    expect(await rest(coming, 'Right')).toEqual({ text: 'Right', lasts: [true] });
    expect(readTexts(await readTask(client, id))).toEqual([['answer.1', 'Right']]);
  });

  test('that fails leaves the text that it has streamed, and sends no last chunk', async () => {
    const script = newModelScript();
    const client = await newClient(await liveAgent({ flow: answering(script) }));
    const { id, coming } = await streamed(client);
    await script.say('Onc');
    expect((await coming.next()).value).toMatchObject({ text: 'Onc' });
    await script.breakOff();
    expect(await rest(coming, 'Onc')).toEqual({ text: 'Onc', lasts: [] });
    const task = await readTask(client, id);
    expect(task.status?.state).toBe(TaskState.TASK_STATE_FAILED);
    expect(readTexts(task)).toEqual([['answer.1', 'Onc']]);
  });

  test('inside a map has an artifact for each item', async () => {
    const items = [newModelScript(), newModelScript()];
    const body = { start: 'answer', nodes: { answer: streamingNode({ prompt: '{{ item }}' }) } };
    const nodes = {
      each: { type: 'map', items: items.map(({ prompt }) => prompt), body, next: 'done' },
      done: { type: 'end', output: {} },
    };
    const agent = await liveAgent({ flow: flow({ models: scriptedModels, start: 'each', nodes }) });
    const waiting = (await newClient(agent)).sendMessage(sending('x'));
    for (const [n, item] of items.entries()) await item.say(`Text ${n}`);
    for (const item of items) await item.end();
    expect(readTexts(asTask(await waiting)).sort()).toEqual([
      ['each.1.0.answer.1', 'Text 0'],
      ['each.1.1.answer.1', 'Text 1'],
    ]);
  });
});

test('the text of a node without `stream` is never sent to the caller', async () => {
  const [quiet, loud] = [newModelScript(), newModelScript()];
  const nodes = {
    think: { type: 'llm', prompt: quiet.prompt, next: 'answer' },
    answer: streamingNode(loud, { next: 'done' }),
    done: { type: 'end', output: { answer: '{{ nodes.answer }}' } },
  };
  const agent = await liveAgent({ flow: flow({ models: scriptedModels, start: 'think', nodes }) });
  const client = await newClient(agent);
  const seen: StreamResponse[] = [];
  let id = '';
  for await (const response of client.sendMessageStream(sending('x'))) {
    seen.push(response);
    if (response.payload?.$case !== 'task') continue;
    id = response.payload.value.id;
    await quiet.say('canary');
    await quiet.end();
    await loud.say('Hello');
    await loud.end();
  }
  const task = await readTask(client, id);
  expect(JSON.stringify(seen)).toContain('Hello');
  expect(JSON.stringify([seen, task])).not.toContain('canary');
  const { text } = await call('getRunDetail', { key: agent.key, params: { workflow_id: id } });
  expect(JSON.parse(text)).toMatchObject({
    artifacts: [{ artifact_id: 'answer.1', name: 'answer', parts: [{ text: 'Hello' }] }],
  });
});

test('a run that another worker resumes sends its text again, and later text of the first worker is not sent', async () => {
  const script = newModelScript();
  const agent = await liveAgent({ flow: answering(script) });
  const client = await newClient(agent);
  const message = webhookMessage(agent);
  const id = message.triggerId;
  const first = runQueued(message, longShift);
  await script.say('Old');
  await eventually(
    () => readTask(client, id),
    (task) => readTexts(task).length > 0,
  );
  const coming = chunks(client.resubscribeTask({ id, tenant: '' }));
  await expireLease(id);
  const second = runQueued(message, longShift);
  await script.say('New', 2);
  await script.say(' canary');
  expect((await coming.next()).value).toMatchObject({ text: 'New', append: false });
  await script.end(2);
  await Promise.all([first, second]);
  expect(await rest(coming, 'New')).toEqual({ text: 'New', lasts: [true] });
  expect(readTexts(await readTask(client, id))).toEqual([['answer.1', 'New']]);
});

test('a client receives replies at once, and no empty events', async () => {
  const say = (n: number) => ({ type: 'reply', text: `${n}`, next: n < 4 ? `say_${n + 1}` : 'done' });
  const writers = Object.fromEntries([0, 1, 2, 3, 4].map((n) => [`say_${n}`, say(n)]));
  const nodes = { ...writers, done: { type: 'end', output: {} } };
  const client = await newClient(await liveAgent({ flow: flow({ start: 'say_0', nodes }) }));
  const { id, coming } = await streamed(client);
  await rest(coming);
  const events = await readEvents(id);
  expect(events.flatMap(readReplies).map(({ text }) => text)).toEqual(['0', '1', '2', '3', '4']);
  expect(events.filter((event) => Object.keys(event).length <= 3)).toEqual([]);
});

describe('a called flow', () => {
  const caller = async (stream: boolean) => {
    const owner = await newCaller();
    const script = newModelScript();
    const nodes = {
      answer: streamingNode(script, { next: 'done' }),
      done: {
        type: 'end',
        output: { said: '{{ nodes.answer }}' },
        artifacts: [{ name: 'note', text: 'Note' }],
      },
    };
    const { flowid } = await liveAgent(
      { flow: flow({ models: scriptedModels, start: 'answer', nodes }) },
      owner,
    );
    const outer = {
      call: { type: 'flow', flowid, stream, next: 'done' },
      done: { type: 'end', output: { answer: '{{ nodes.call.said }}' } },
    };
    const agent = await liveAgent({ flow: flow({ start: 'call', nodes: outer }) }, owner);
    const client = await newClient(agent);
    const waiting = client.sendMessage(sending('x'));
    await script.say('Hello');
    await script.end();
    return readTexts(asTask(await waiting));
  };

  test('passes on the artifacts of its end node, and its text if the calling node asks for it', async () => {
    const note = ['call.1.flow.end-1', 'Note'];
    expect(await caller(true)).toEqual([['call.1.flow.answer.1', 'Hello'], note]);
    expect(await caller(false)).toEqual([note]);
  });
});
