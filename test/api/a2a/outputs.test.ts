// What flows hand over, as the official client gets it: artifacts whole and in chunks, files, plain messages
// and refusals.
import { type Message, type Part, type StreamResponse, TaskState } from '@a2a-js/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '#lib/json/json.ts';
import { agentUrls, asTask, officialClient, rpc, sending } from '#test/support/a2a.ts';
import { flow } from '#test/support/builders.ts';
import { unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const newClient = async (agent: TestAgent) => await officialClient(agentUrls(agent).agent, agent.key);
const base64 = (text: string) => Buffer.from(text).toString('base64');
const done = { type: 'end', output: { answer: 'Done.' } };

/** Says one thing after the other, then ends. */
const sayingFlow = (said: readonly JsonObject[], end: JsonObject = done) =>
  flow({
    start: said.length > 0 ? 'say_0' : 'done',
    nodes: {
      ...Object.fromEntries(
        said.map((each, n) => {
          const next = n + 1 < said.length ? `say_${n + 1}` : 'done';
          return [`say_${n}`, { type: 'reply', ...each, next }];
        }),
      ),
      done: end,
    },
  });

const csv = (text: string, artifact: JsonObject = {}) => ({
  file: { raw: base64(text), media_type: 'text/csv', filename: 'orders.csv' },
  artifact: { artifact_id: 'orders', ...artifact },
});

const contents = (parts: readonly Part[] = []) =>
  parts.map(({ content, mediaType, filename }) => {
    const value = Buffer.isBuffer(content?.value) ? content.value.toString() : content?.value;
    return [content?.$case, value, mediaType, filename];
  });

async function artifactUpdates(stream: AsyncIterable<StreamResponse>) {
  const updates: (readonly unknown[])[] = [];
  for await (const { payload } of stream) {
    if (payload?.$case !== 'artifactUpdate') continue;
    const { artifact, append, lastChunk } = payload.value;
    updates.push([artifact?.artifactId, contents(artifact?.parts)[0]?.[1], append, lastChunk]);
  }
  return updates;
}

describe('an artifact in chunks', () => {
  const chunks = [
    csv('one\n', { name: 'Orders', append: false }),
    csv('two\n', { append: true }),
    csv('three\n', { append: true, last_chunk: true }),
  ];

  test('is streamed in chunks while the flow runs, and is complete in the task', async () => {
    const agent = await liveAgent({ flow: sayingFlow(chunks) });
    const client = await newClient(agent);
    expect(await artifactUpdates(client.sendMessageStream(sending('x')))).toEqual([
      ['orders', 'one\n', false, false],
      ['orders', 'two\n', true, false],
      ['orders', 'three\n', true, true],
      ['response', 'Done.', false, true],
    ]);
    const task = asTask(await client.sendMessage(sending('x')));
    expect(task.artifacts.map(({ artifactId, name }) => [artifactId, name])).toEqual([
      ['orders', 'Orders'],
      ['response', 'response'],
    ]);
    expect(contents(task.artifacts[0]?.parts)).toEqual([
      ['raw', 'one\ntwo\nthree\n', 'text/csv', 'orders.csv'],
    ]);
    expect(task.history).toHaveLength(1);
    const again = await client.getTask({ id: task.id, tenant: '', historyLength: 0 });
    expect(again).toEqual({ ...task, history: [] });
  });

  test('continues after the last chunk for a client that subscribes again', async () => {
    const gate = unique('gate');
    const waiting = sayingFlow([]);
    const agent = await liveAgent({
      flow: {
        ...waiting,
        egress: [upstream.host],
        start: 'first',
        nodes: {
          first: { type: 'reply', ...csv('one\n', { append: false }), next: 'gate' },
          gate: { type: 'http', url: `${upstream.url}/gate/${gate}`, next: 'second' },
          second: { type: 'reply', ...csv('two\n', { append: true, last_chunk: true }), next: 'done' },
          done,
        },
      },
    });
    const client = await newClient(agent);
    const configuration = { returnImmediately: true };
    const { id } = asTask(await client.sendMessage(sending('x', { configuration })));
    await upstream.arrived(gate);
    const seen: unknown[] = [];
    for await (const { payload } of client.resubscribeTask({ id, tenant: '' })) {
      if (payload?.$case === 'task') {
        upstream.open(gate);
        seen.push(contents(payload.value.artifacts[0]?.parts)[0]?.[1]);
      }
      if (payload?.$case === 'artifactUpdate')
        seen.push([contents(payload.value.artifact?.parts)[0]?.[1], payload.value.append]);
    }
    expect(seen).toEqual(['one\n', ['two\n', true], ['Done.', false]]);
  });

  test('replaces an earlier artifact with its id, and is complete for a client that has received none', async () => {
    const agent = await liveAgent({
      flow: sayingFlow([
        { text: 'a', artifact: { artifact_id: 'notes', append: true } },
        { text: 'b', artifact: { artifact_id: 'notes', append: true } },
        { text: 'c', artifact: { artifact_id: 'draft' } },
        { text: 'd', artifact: { artifact_id: 'draft' } },
      ]),
    });
    const client = await newClient(agent);
    expect((await artifactUpdates(client.sendMessageStream(sending('x')))).slice(0, 4)).toEqual([
      ['notes', 'a', false, false],
      ['notes', 'b', true, false],
      ['draft', 'c', false, true],
      ['draft', 'd', false, true],
    ]);
    const { artifacts } = asTask(await client.sendMessage(sending('x')));
    expect(artifacts.map(({ parts }) => contents(parts)[0]?.[1])).toEqual(['ab', 'd', 'Done.']);
  });

  test('may preview the response, which replaces it', async () => {
    const agent = await liveAgent({
      flow: sayingFlow([{ text: 'Do…', artifact: { artifact_id: 'response', append: true } }]),
    });
    const { artifacts } = asTask(await (await newClient(agent)).sendMessage(sending('x')));
    expect(artifacts.map(({ parts }) => contents(parts)[0]?.[1])).toEqual(['Done.']);
  });
});

describe('a file', () => {
  const url = 'https://files.shop.example/report.pdf';
  const pdf = { url, media_type: 'application/pdf', filename: 'report.pdf' };

  test('is sent as bytes or as a URL, in messages and in the artifacts of the end node', async () => {
    const end = {
      ...done,
      artifacts: [
        { name: 'report', file: pdf },
        { text: 'All', data: { n: 1 }, file: { raw: base64('x') } },
      ],
    };
    const agent = await liveAgent({
      flow: sayingFlow([{ file: { raw: base64('a,b') } }, { text: 'See', file: pdf }], end),
    });
    const task = asTask(await (await newClient(agent)).sendMessage(sending('x')));
    expect(task.history.slice(1).map(({ parts }) => contents(parts))).toEqual([
      [['raw', 'a,b', '', '']],
      [
        ['text', 'See', 'text/plain', ''],
        ['url', url, 'application/pdf', 'report.pdf'],
      ],
    ]);
    expect(task.artifacts.map(({ artifactId, name }) => [artifactId, name])).toEqual([
      ['end-1', 'report'],
      ['end-2', ''],
      ['response', 'response'],
    ]);
    expect(contents(task.artifacts[1]?.parts)).toEqual([
      ['text', 'All', 'text/plain', ''],
      ['data', { n: 1 }, 'application/json', ''],
      ['raw', 'x', '', ''],
    ]);
  });

  test('of the largest allowed size is returned completely, together with a large response', async () => {
    const raw = Buffer.alloc(150_000, 7).toString('base64');
    const end = {
      type: 'end',
      output: { answer: '{{ $pad("", 199000, "x") }}', more: '{{ $pad("", 50000, "y") }}' },
      artifacts: [{ file: { raw } }],
    };
    const agent = await liveAgent({ flow: sayingFlow([{ file: { raw } }], end) });
    const task = asTask(await (await newClient(agent)).sendMessage(sending('x')));
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    const sizes = [task.history[1]?.parts, task.artifacts[0]?.parts].map(
      (parts = []) => Buffer.from(Object(parts[0]?.content?.value)).length,
    );
    expect(sizes).toEqual([150_000, 150_000]);
  });

  test('above the largest size fails the run with a clear error', async () => {
    const raw = Buffer.alloc(160_000, 7).toString('base64');
    const agent = await liveAgent({ flow: sayingFlow([{ file: { raw } }]) });
    const { status } = asTask(await (await newClient(agent)).sendMessage(sending('x')));
    expect(status?.state).toBe(TaskState.TASK_STATE_FAILED);
    expect(JSON.stringify(status?.message?.parts)).toContain('value.too_large');
  });
});

describe('a flow that ends as a message', () => {
  const ending = sayingFlow([], { type: 'end', output: { answer: 'Hello.' }, as: 'message' });

  test('returns the message to a waiting client, and no task', async () => {
    const agent = await liveAgent({ flow: ending });
    const client = await newClient(agent);
    const answer = await client.sendMessage(sending('x', { contextId: 'ctx-1' }));
    const message = 'parts' in answer ? (answer as Message) : undefined;
    expect(message).toMatchObject({ contextId: 'ctx-1', taskId: '' });
    expect(contents(message?.parts)).toEqual([['text', 'Hello.', 'text/plain', '']]);
    const task = await client.getTask({ id: String(message?.metadata?.workflow_id), tenant: '' });
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  });

  test('completes a task that the client knows, with the message as its status', async () => {
    const agent = await liveAgent({ flow: ending });
    const client = await newClient(agent);
    const configuration = { returnImmediately: true };
    const { id } = asTask(await client.sendMessage(sending('x', { configuration })));
    await idle();
    const { status, artifacts } = await client.getTask({ id, tenant: '' });
    expect(status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(contents(status?.message?.parts)[0]?.[1]).toBe('Hello.');
    expect(artifacts).toEqual([]);
    const cases: unknown[] = [];
    for await (const each of client.sendMessageStream(sending('x'))) cases.push(each.payload?.$case);
    expect(cases).toEqual(['task', 'statusUpdate']);
  });
});

test('a flow that rejects ends its A2A task as rejected, with the reason; other triggers return the reason as a response', async () => {
  const end = { type: 'end', output: { answer: 'We sell no cars.' }, as: 'rejected' };
  const agent = await liveAgent({ flow: sayingFlow([], end) });
  const client = await newClient(agent);
  const task = asTask(await client.sendMessage(sending('A car, please')));
  expect(task.status?.state).toBe(TaskState.TASK_STATE_REJECTED);
  expect(contents(task.status?.message?.parts)[0]?.[1]).toBe('We sell no cars.');
  expect(task.artifacts).toEqual([]);
  const { error } = await rpc(agentUrls(agent).agent, agent.key, 'CancelTask', { id: task.id });
  expect(error?.code).toBe(-32002);
  const params = { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' };
  const { text } = await call('triggerFlow', { key: agent.key, params, body: { message: 'A car' } });
  expect(JSON.parse(text)).toMatchObject({
    status: 'completed',
    response: { answer: 'We sell no cars.' },
    error: null,
  });
});

test('a client that lists its output modes receives only parts that it accepts', async () => {
  const agent = await liveAgent({ flow: sayingFlow([csv('a'), { data: { n: 1 } }]) });
  const client = await newClient(agent);
  const configuration = { acceptedOutputModes: ['text/plain'] };
  const task = asTask(await client.sendMessage(sending('x', { configuration })));
  expect(contents(task.artifacts.at(-1)?.parts)).toEqual([['text', 'Done.', 'text/plain', '']]);
  expect(contents(task.history[1]?.parts)).toEqual([['text', '{"n":1}', 'text/plain', '']]);
  const streamed = client.sendMessageStream(
    sending('x', { configuration: { acceptedOutputModes: ['application/*'] } }),
  );
  expect(await artifactUpdates(streamed)).toContainEqual(['response', { answer: 'Done.' }, false, true]);
});

test('a flow says what it does, ends with a message, and annotates its artifacts', async () => {
  const metadata = { source: 'crm' };
  const end = {
    type: 'end',
    output: { answer: 'Three.' },
    message: 'All done.',
    response_artifact: { name: 'Answer', description: 'How many', metadata },
    artifacts: [{ name: 'Rows', data: [1], metadata }],
  };
  const chunk = { text: 'x', artifact: { artifact_id: 'x', metadata } };
  const agent = await liveAgent({ flow: sayingFlow([{ text: 'Counting.', as: 'status' }, chunk], end) });
  const client = await newClient(agent);
  const task = asTask(await client.sendMessage(sending('x')));
  expect(task.status).toMatchObject({ state: TaskState.TASK_STATE_COMPLETED });
  expect(contents(task.status?.message?.parts)[0]?.[1]).toBe('All done.');
  expect(task.history).toHaveLength(1);
  expect(task.artifacts.map(({ artifactId, name, metadata: of }) => [artifactId, name, of])).toEqual([
    ['x', '', metadata],
    ['end-1', 'Rows', metadata],
    ['response', 'Answer', metadata],
  ]);
  const seen: unknown[] = [];
  for await (const { payload } of client.sendMessageStream(sending('x'))) {
    if (payload?.$case === 'statusUpdate')
      seen.push([payload.value.status?.state, contents(payload.value.status?.message?.parts)[0]?.[1]]);
    if (payload?.$case === 'artifactUpdate') seen.push(payload.value.artifact?.metadata);
  }
  const { TASK_STATE_WORKING, TASK_STATE_COMPLETED } = TaskState;
  expect(seen).toEqual([
    [TASK_STATE_WORKING, 'Counting.'],
    ...[metadata, metadata, metadata],
    [TASK_STATE_COMPLETED, 'All done.'],
  ]);
});

test('a rejection can have a message beside its response', async () => {
  const end = { type: 'end', output: { code: 7 }, as: 'rejected', message: 'We sell no cars.' };
  const agent = await liveAgent({ flow: sayingFlow([], end) });
  const { status, artifacts } = asTask(await (await newClient(agent)).sendMessage(sending('x')));
  expect(status?.state).toBe(TaskState.TASK_STATE_REJECTED);
  expect(contents(status?.message?.parts).map(([, value]) => value)).toEqual([
    'We sell no cars.',
    { code: 7 },
  ]);
  expect(artifacts).toEqual([]);
});

test('a flow that ends with nothing to say sends no response', async () => {
  const agent = await liveAgent({ flow: sayingFlow([csv('a')], { type: 'end', output: {} }) });
  const client = await newClient(agent);
  const { status, artifacts } = asTask(await client.sendMessage(sending('x')));
  expect(status).toMatchObject({ state: TaskState.TASK_STATE_COMPLETED, message: undefined });
  expect(artifacts.map(({ artifactId }) => artifactId)).toEqual(['orders']);
  expect(await artifactUpdates(client.sendMessageStream(sending('x')))).toEqual([
    ['orders', 'a', false, true],
  ]);
});

test('the runs API shows assembled artifacts, and the synchronous result has none', async () => {
  const chunks = [csv('one\n', { append: false }), csv('two\n', { append: true, last_chunk: true })];
  const agent = await liveAgent({ flow: sayingFlow(chunks) });
  const params = { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' };
  const { text } = await call('triggerFlow', { key: agent.key, params, body: { message: '' } });
  const result = JSON.parse(text);
  expect(Object.keys(result).sort()).toEqual(
    ['error', 'logs', 'requires_input', 'response', 'status', 'workflow_id'].sort(),
  );
  const detail = await call('getRunDetail', { key: agent.key, params: { workflow_id: result.workflow_id } });
  expect(detail.body).toMatchObject({
    response: { answer: 'Done.' },
    artifacts: [
      {
        artifact_id: 'orders',
        parts: [
          { file: { raw: base64('one\ntwo\n'), bytes: 8, media_type: 'text/csv', filename: 'orders.csv' } },
        ],
      },
    ],
  });
});
