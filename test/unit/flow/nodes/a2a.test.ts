// The node type `a2a`.
import { describe, expect, test } from 'vitest';
import type {
  AgentAnswer,
  AgentPort,
  AgentRequest,
  DiscoverPort,
  FoundAgent,
} from '#lib/flow/ports/agent.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { resumed } from '../agent/scripted-agents.ts';
import { mistakes, withNode } from '../check/faulty-flows.ts';
import { checkedFlow, run, type Script, scripted } from '../scripted.ts';

const agent = 'reg_01JD2Q3V5W7X9Y1Z3A5B7C9D1E';
const done: AgentAnswer = {
  state: 'completed',
  task_id: 't1',
  context_id: 'c1',
  text: 'Fine.',
  data: { n: 1 },
};

const flow = (parts: JsonObject = {}) =>
  checkedFlow(
    {
      a: { type: 'a2a', agent, message: 'Hello {{ input.message }}', ...parts, next: 'b' },
      b: { type: 'end', output: { a: '{{ nodes.a }}' } },
    },
    { egress: ['agents.example'] },
  );

function agents(...answers: readonly AgentAnswer[]) {
  const left = [...answers];
  const requests: AgentRequest[] = [];
  const port: AgentPort = async (request) => {
    requests.push(request);
    return left.shift() ?? done;
  };
  return { port, requests };
}

const input = { message: 'you', user_variables: {} };

test('sends text and data, and gives what the agent made of it with the ids of task and conversation', async () => {
  const { port, requests } = agents(done);
  const outcome = await run(flow({ data: { x: '{{ 1 + 1 }}' } }), scripted({ agent: port }), { input });
  expect(requests).toMatchObject([{ agent, text: 'Hello you', data: { x: 2 }, egress: ['agents.example'] }]);
  expect(outcome).toEqual({
    status: 'completed',
    response: { a: { text: 'Fine.', data: { n: 1 }, task_id: 't1', context_id: 'c1', state: 'completed' } },
  });
});

describe('context_id', () => {
  const twice = (context_id: string) =>
    checkedFlow({
      a: { type: 'a2a', agent, message: 'Hello', next: 'b' },
      b: { type: 'a2a', agent, message: 'And now?', context_id, next: 'c' },
      c: { type: 'end', output: {} },
    });

  test('continues the conversation of an earlier node', async () => {
    const { port, requests } = agents(done, done);
    await run(twice('{{ nodes.a.context_id }}'), scripted({ agent: port }), { input });
    expect(requests.map(({ context_id }) => context_id)).toEqual([undefined, 'c1']);
  });

  test('that is null or empty begins a new conversation', async () => {
    for (const value of ['{{ null }}', "{{ '' }}"]) {
      const { port, requests } = agents(done, done);
      await run(twice(value), scripted({ agent: port }), { input });
      expect(requests.map((request) => 'context_id' in request)).toEqual([false, false]);
    }
  });

  test.each(['{{ 7 }}', '{{ nodes.a }}', `{{ '${'x'.repeat(1_025)}' }}`])(
    'that is %s fails the node',
    async (value) => {
      const { port, requests } = agents(done, done);
      const outcome = await run(twice(value), scripted({ agent: port }), { input });
      expect(outcome).toMatchObject({ error: { code: 'a2a.bad_context' } });
      expect(requests).toHaveLength(1);
    },
  );
});

test('sends the agent what is left of the budget, and the chain of calls', async () => {
  const { port, requests } = agents(done);
  await run(flow(), scripted({ agent: port }), {
    input,
    chain: ['outer', 'this'],
    limits: { max_tokens: 100 },
  });
  expect(requests[0]?.metadata).toMatchObject({
    agent_flow: { chain: ['outer', 'this'], left: { tokens: 100, depth: 3 } },
  });
});

test('no agent is called once the chain has its full length', async () => {
  const { port, requests } = agents(done);
  const outcome = await run(flow(), scripted({ agent: port }), {
    input,
    chain: ['a', 'b'],
    limits: { max_depth: 2 },
  });
  expect(outcome).toMatchObject({ error: { code: 'limit.depth' } });
  expect(requests).toEqual([]);
});

describe('an agent that asks', () => {
  const asks: AgentAnswer = {
    state: 'input_required',
    task_id: 't1',
    context_id: 'c1',
    text: 'Which order?',
  };

  test('pauses the run with its words; the answer goes to the same task from a fresh engine', async () => {
    const first = agents(asks);
    const paused = await run(flow(), scripted({ agent: first.port }), { input });
    expect(paused).toMatchObject({
      status: 'input_required',
      requests: [{ id: 'a.1', node_id: 'a', purpose: 'ask', prompt: 'Which order?' }],
    });
    const second = agents(done);
    const { outcome } = await resumed(
      flow(),
      paused,
      { agent: second.port },
      { input, answer: { value: '17' } },
    );
    expect(second.requests).toMatchObject([{ agent, text: '17', task_id: 't1', context_id: 'c1' }]);
    expect(outcome.status).toBe('completed');
  });

  test('may ask again, and is answered with data where the answer is no text', async () => {
    const first = await run(flow(), scripted({ agent: agents(asks).port }), { input });
    const again = await resumed(
      flow(),
      first,
      { agent: agents(asks).port },
      { input, answer: { value: '?' } },
    );
    expect(again.outcome).toMatchObject({ status: 'input_required', requests: [{ id: 'a.1-2' }] });
    const last = agents(done);
    await resumed(flow(), again.outcome, { agent: last.port }, { input, answer: { value: { order: 17 } } });
    expect(last.requests).toMatchObject([{ data: { order: 17 }, task_id: 't1' }]);
  });

  test('that was found by filters is the one that is answered', async () => {
    const found = (id: string): DiscoverPort => {
      return async () => [{ agent: id, name: 'A', description: '' }];
    };
    const chosen = checkedFlow({
      a: { type: 'a2a', discover: { q: 'orders' }, message: 'Hi', next: 'b' },
      b: { type: 'end', output: {} },
    });
    const paused = await run(chosen, scripted({ agent: agents(asks).port, discover: found(agent) }), {
      input,
    });
    const last = agents(done);
    const script = { agent: last.port, discover: found('reg_01JD2Q3V5W7X9Y1Z3A5B7C9D1F') };
    await resumed(chosen, paused, script, { answer: { value: 'x' } });
    expect(last.requests).toMatchObject([{ agent }]);
  });
});

test.each(['failed', 'canceled', 'rejected', 'auth_required'] as const)(
  'a task that ends as %s is an error of that name with the words of the agent',
  async (state) => {
    const { port } = agents({ state, text: 'No more.' });
    const outcome = await run(flow(), scripted({ agent: port }), { input });
    expect(outcome).toMatchObject({
      error: { code: `a2a.${state}`, message: expect.stringContaining('No more.') },
    });
  },
);

describe('discover', () => {
  const discovering = (found: readonly FoundAgent[]) => {
    const { port, requests } = agents(done);
    const discovered = checkedFlow({
      a: { type: 'a2a', discover: { q: 'orders', tags: ['shop'] }, message: 'Hi', next: 'b' },
      b: { type: 'end', output: {} },
    });
    const filters: unknown[] = [];
    const script: Script = {
      agent: port,
      discover: async (filter) => {
        filters.push(filter);
        return found;
      },
    };
    return { requests, filters, outcome: run(discovered, scripted(script)) };
  };

  test('calls the best match of the saved filters', async () => {
    const other = { agent: 'reg_2', name: 'B', description: '' };
    const { outcome, filters, requests } = discovering([{ agent, name: 'A', description: '' }, other]);
    expect(await outcome).toMatchObject({ status: 'completed' });
    expect(filters).toEqual([{ q: 'orders', tags: ['shop'] }]);
    expect(requests).toMatchObject([{ agent }]);
  });

  test('fails with a2a.none_found when nothing fits', async () => {
    expect(await discovering([]).outcome).toMatchObject({ error: { code: 'a2a.none_found' } });
  });
});

test.each([
  ['no agent', { message: 'x' }, '/nodes/a', 'either `agent` or `discover`'],
  ['two ways to an agent', { agent, discover: {}, message: 'x' }, '/nodes/a', 'either `agent` or `discover`'],
  ['nothing to say', { agent }, '/nodes/a', '`message` or `data`'],
  ['a name that is no agent', { agent: 'orders', message: 'x' }, '/nodes/a/agent', 'registry id'],
  [
    'an agent outside egress',
    { agent: 'https://a.example/', message: 'x' },
    '/nodes/a/agent',
    'not in `egress`',
  ],
  [
    'an agent that data could choose',
    { agent: '{{ input.message }}', message: 'x' },
    '/nodes/a/agent',
    'registry id',
  ],
  [
    'a filter that data could choose',
    { discover: { q: '{{ input.message }}' }, message: 'x' },
    '/nodes/a/discover/q',
    'no expression',
  ],
])('%s is refused', (_what, parts, pointer, detail) => {
  const flow = withNode({ type: 'a2a', next: 'b', ...parts });
  expect(mistakes(flow)).toContainEqual({ pointer, detail: expect.stringContaining(detail) });
});
