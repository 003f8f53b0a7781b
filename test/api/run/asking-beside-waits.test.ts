// A run that asks in one branch while it waits in another: a caller who waits for the run receives the question
// at once, and the wait continues.
import { TaskState } from '@a2a-js/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '#lib/json/json.ts';
import { routes } from '#lib/routes/routes.ts';
import { agentUrls, asTask, officialClient, sending } from '#test/support/a2a.ts';
import { flow } from '#test/support/builders.ts';
import { unique } from '#test/support/caller.ts';
import { buildUrl, call } from '#test/support/client.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { resumeRun, startedRun } from '#test/support/run-calls.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const ask = { start: 'sure', nodes: { sure: { type: 'ask', prompt: 'Sure?' } } };
const wait = (seconds: number) => ({
  start: 'nap',
  nodes: { nap: { type: 'wait', seconds, next: 'woke' }, woke: { type: 'transform', output: 'awake' } },
});
const each = (items: readonly string[]) => (seconds: number) => {
  const cases = [{ when: '{{ item = "ask" }}', next: 'sure' }];
  const kind = { type: 'switch', cases, default: 'nap' };
  return {
    type: 'map',
    items,
    body: { start: 'kind', nodes: { kind, ...ask.nodes, ...wait(seconds).nodes } },
  };
};

/** By the seconds of the wait. */
const places: readonly (readonly [string, (seconds: number) => JsonObject])[] = [
  ['a branch before the wait', (s) => ({ type: 'parallel', branches: { ask, wait: wait(s) } })],
  ['a branch behind the wait', (s) => ({ type: 'parallel', branches: { wait: wait(s), ask } })],
  ['an item before the wait', each(['ask', 'wait'])],
  ['an item behind the wait', each(['wait', 'ask'])],
];
const [, branches = each([])] = places[1] ?? [];

const agentWith = (node: JsonObject) =>
  liveAgent({
    flow: flow({
      egress: [upstream.host],
      start: 'fan',
      nodes: { fan: { ...node, next: 'done' }, done: { type: 'end', output: { fan: '{{ nodes.fan }}' } } },
    }),
  });
const newClient = (agent: TestAgent) => officialClient(agentUrls(agent).live, agent.key);
const toParams = (agent: TestAgent) => ({
  workspace_id: agent.workspaceid,
  trigger_id: agent.flowid,
  environment: 'live',
});

/** As a caller looks who waits for news again and again, until it is as they want it. */
async function seen(
  agent: TestAgent,
  workflow_id: string,
  isWanted: (state: State) => boolean,
): Promise<State> {
  const params = { workspace_id: agent.workspaceid, workflow_id };
  let etag = '';
  for (;;) {
    const answer = await call('getRun', {
      key: agent.key,
      params,
      query: { wait: '20' },
      headers: { 'if-none-match': etag },
    });
    if (answer.status === 200 && isWanted(answer.body)) return answer.body;
    etag = answer.headers.get('etag') ?? '';
  }
}
type State = Awaited<ReturnType<typeof call<'getRun'>>>['body'];

const isAsking = ({ status }: State) => status === 'input_required';
const isAwake = ({ logs }: State) =>
  logs.some(({ event, node_id }) => event === 'resumed' && node_id === 'nap');

/** More than a caller waits here. */
const long = 60;
/** Less than a worker would sleep through. */
const short = 4;

describe('a question in', () => {
  test.each(places)('%s is returned at once by the synchronous trigger', async (_place, node) => {
    const agent = await agentWith(node(long));
    const { body } = await call('triggerFlow', {
      key: agent.key,
      params: toParams(agent),
      body: { message: '' },
    });
    expect(body).toMatchObject({ status: 'input_required', input_requests: [{ prompt: 'Sure?' }] });
  });

  test.each(places)('%s is returned at once by SendMessage', async (_place, node) => {
    const client = await newClient(await agentWith(node(long)));
    const task = asTask(await client.sendMessage(sending('x')));
    expect(task.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(JSON.stringify(task.status?.message?.parts)).toContain('Sure?');
  });

  test.each(places)('%s is sent at once to a streaming client, and ends the stream', async (_place, node) => {
    const client = await newClient(await agentWith(node(long)));
    const states: (TaskState | undefined)[] = [];
    for await (const { payload } of client.sendMessageStream(sending('x')))
      if (payload?.$case === 'statusUpdate') states.push(payload.value.status?.state);
    expect(states).toEqual([TaskState.TASK_STATE_INPUT_REQUIRED]);
  });

  test.each(places)(
    '%s is returned at once to a client that waits for the status of a background run',
    async (_place, node) => {
      const agent = await agentWith(node(short));
      const state = await seen(agent, await startedRun(agent), isAsking);
      expect(state.input_requests).toMatchObject([{ prompt: 'Sure?' }]);
      expect(isAwake(state)).toBe(false);
    },
  );

  test.each(places)('%s is sent at once to a client that follows the events', async (_place, node) => {
    const agent = await agentWith(node(short));
    const params = { workflow_id: await startedRun(agent) };
    const response = await fetch(buildUrl(routes.followRun, { params }), {
      headers: { 'x-api-key': agent.key },
    });
    let received = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      received += chunk;
      if (received.includes('"status":"input_required"')) break;
    }
    expect(received).toContain('Sure?');
    expect(received).not.toContain('"event":"resumed"');
  });
});

describe.concurrent('a wait parallel to a question', () => {
  const both = { fan: { wait: 'awake', ask: 'yes' } };

  test('is not lost when the question is answered first', async () => {
    const client = await newClient(await agentWith(branches(short)));
    const { id } = asTask(await client.sendMessage(sending('x')));
    const done = asTask(await client.sendMessage(sending('yes', { taskId: id })));
    expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(JSON.stringify(done.artifacts)).toContain(JSON.stringify(both).slice(1, -1));
  });

  test('ends on time, and the question stays open', async () => {
    const agent = await agentWith(branches(1));
    const id = await startedRun(agent);
    await seen(agent, id, (state) => isAsking(state) && isAwake(state));
    expect((await resumeRun(agent, id, { answer: 'yes' })).status).toBe(202);
    const { response } = await seen(agent, id, ({ status }) => status === 'completed');
    expect(response).toEqual(both);
  });

  test('ends, and an answer sent during the following nodes takes effect once the run pauses again', async () => {
    const gate = unique('gate');
    const work = { type: 'http', url: `${upstream.url}/gate/${gate}`, next: 'woke' };
    const nodes = { ...wait(1).nodes, nap: { type: 'wait', seconds: 1, next: 'work' }, work };
    const agent = await agentWith({ type: 'parallel', branches: { ask, wait: { start: 'nap', nodes } } });
    const id = await startedRun(agent);
    await upstream.arrived(gate);
    const answered = resumeRun(agent, id, { answer: 'yes' });
    upstream.open(gate);
    expect((await answered).status).toBe(202);
    const { response } = await seen(agent, id, ({ status }) => status === 'completed');
    expect(response).toEqual(both);
  });
});
