// The node type `a2a`.
import { describe, expect, test } from 'vitest';
import { NodeError } from '#lib/flow/format/node-error.ts';
import { type RemoteContexts, rememberContext } from '#lib/flow/format/remote-contexts.ts';
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
import { breathing } from '../driven.ts';
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
  const twice = (context_id: string | null) =>
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
    for (const value of ['{{ null }}', "{{ '' }}", null]) {
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

test('a message has the same key in every process that sends it, and another than every other message', async () => {
  const asks: AgentAnswer = { state: 'input_required', task_id: 't1', text: 'Which order?' };
  const nodes = {
    q: { type: 'ask', prompt: 'Well?', next: 'a' },
    a: { type: 'a2a', agent, message: 'Hi', next: 'b' },
    b: { type: 'a2a', agent, message: 'Hi', next: 'c' },
    c: { type: 'end', output: {} },
  };
  const paused = await run(checkedFlow(nodes), scripted({ agent: agents().port }), { input });
  const keysOf = async () => {
    const { port, requests } = agents(asks, asks, done, done);
    const yes = { input, answer: { value: 'Yes' } };
    let { outcome } = await resumed(checkedFlow(nodes), paused, { agent: port }, yes);
    for (let n = 0; n < 2; n++)
      ({ outcome } = await resumed(checkedFlow(nodes), outcome, { agent: port }, yes));
    expect(outcome.status).toBe('completed');
    return requests.map(({ key }) => key);
  };
  const keys = await keysOf();
  expect(new Set(keys).size).toBe(4);
  expect(await keysOf()).toEqual(keys);
});

describe('without context_id', () => {
  const to = (next: string, more: JsonObject = {}) => ({ type: 'a2a', agent, message: 'Hi', next, ...more });
  const end = { type: 'end', output: {} };
  const hello = { type: 'a2a', agent, message: 'Hi' };
  /** Every message is answered in the conversation that it continues, or else in a new one: c1, c2, … */
  function conversations() {
    const requests: AgentRequest[] = [];
    let begun = 0;
    const port: AgentPort = async (request) => {
      requests.push(request);
      return { ...done, context_id: request.context_id ?? `c${++begun}` };
    };
    return { port, sent: () => requests.map(({ context_id }) => context_id) };
  }
  async function contextsSentBy(nodes: JsonObject, more: JsonObject = {}) {
    const { port, sent } = conversations();
    const outcome = await run(checkedFlow({ ...nodes }, more), scripted({ agent: port }), { input });
    expect(outcome).toMatchObject({ status: 'completed' });
    return sent();
  }

  test('a message continues the last conversation with the agent', async () => {
    expect(
      await contextsSentBy({ a: to('b'), b: to('c', { context_id: null }), c: to('d'), d: end }),
    ).toEqual([undefined, undefined, 'c2']);
  });

  test('a loop continues its own conversation', async () => {
    const again = { type: 'switch', cases: [{ when: '{{ state.n < 3 }}', next: 'a' }], default: 'd' };
    const nodes = { a: to('b', { assign: { n: '{{ state.n + 1 }}' } }), b: again, d: end };
    expect(await contextsSentBy(nodes, { state: { n: 0 } })).toEqual([undefined, 'c1', 'c1']);
  });

  test('another agent, or another credential for it, has a conversation of its own', async () => {
    const other = 'reg_01JD2Q3V5W7X9Y1Z3A5B7C9D1F';
    const connections = { crm: { type: 'http_bearer', hosts: ['agents.example'] } };
    const nodes = {
      a: to('b'),
      b: to('c', { agent: other }),
      c: to('d', { connection: 'crm' }),
      d: to('e'),
      e: end,
    };
    expect(await contextsSentBy(nodes, { connections })).toEqual([undefined, undefined, undefined, 'c1']);
  });

  test('branches and items continue what was before them, and share nothing', async () => {
    const other = 'reg_01JD2Q3V5W7X9Y1Z3A5B7C9D1F';
    const two = { x: { ...hello, next: 'y' }, y: { ...hello, agent: other } };
    const nodes = {
      a: to('p'),
      p: {
        type: 'parallel',
        branches: {
          l: { start: 'x', nodes: two },
          r: { start: 'z', nodes: { z: { ...hello, agent: other } } },
        },
        next: 'm',
      },
      m: {
        type: 'map',
        items: '{{ [1, 2] }}',
        body: { start: 'i', nodes: { i: { ...hello, agent: other } } },
        next: 'd',
      },
      d: to('e', { agent: other }),
      e: end,
    };
    const sent = await contextsSentBy(nodes);
    expect(sent.filter((id) => id === 'c1')).toHaveLength(1);
    expect(sent.filter((id) => id === undefined)).toHaveLength(6);
  });

  test('a run that is resumed in another process continues the conversation', async () => {
    const nodes = { a: to('q'), q: { type: 'ask', prompt: 'Well?', next: 'b' }, b: to('c'), c: end };
    const first = await run(checkedFlow(nodes), scripted({ agent: conversations().port }), { input });
    const { port, sent } = conversations();
    await resumed(checkedFlow(nodes), first, { agent: port }, { input, answer: { value: 'Yes' } });
    expect(sent()).toEqual(['c1']);
  });

  test('a message says that a new conversation will do, unless the flow names one', async () => {
    const { port, requests } = agents(done, done, done);
    const named = to('d', { context_id: 'mine' });
    const nodes = { a: to('b'), b: to('c'), c: named, d: end };
    await run(checkedFlow(nodes), scripted({ agent: port }), { input });
    expect(requests.map(({ isContextOptional = false }) => isContextOptional)).toEqual([false, true, false]);
  });

  test('an id that is too long is not remembered, and at most 50 are', async () => {
    const long = agents({ ...done, context_id: 'x'.repeat(1_025) });
    await run(checkedFlow({ a: to('b'), b: to('c'), c: end }), scripted({ agent: long.port }), { input });
    expect(long.requests[1]).not.toHaveProperty('context_id');
    let contexts: RemoteContexts = {};
    for (let n = 0; n < 60; n++) contexts = rememberContext(contexts, { agent: `a${n % 55}` }, `c${n}`);
    expect(Object.values(contexts)).toEqual(Array.from({ length: 50 }, (_, n) => `c${n + 10}`));
  });
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

  test.each([
    [
      'fails',
      { state: 'failed', task_id: 't1', text: 'No.' } as const,
      [{ text: 'Hello you' }, { text: 'Hello you' }],
    ],
    ['does not get the answer', undefined, [{ text: 'Hello you' }, { text: '17', task_id: 't1' }]],
  ])('a retry after a task that %s begins anew or answers again', async (_, failed, [, expected]) => {
    const retrying = flow({ retry: { max_attempts: 2, delay_ms: 0, on: ['a2a.*'] } });
    const first = await run(retrying, scripted({ agent: agents(asks).port }), { input });
    const second = agents(...(failed ? [failed, done] : [done]));
    let isRefused = failed === undefined;
    const port: AgentPort = async (request, call) => {
      if (!isRefused) return await second.port(request, call);
      isRefused = false;
      throw new NodeError('a2a.unavailable', 'Not now.');
    };
    if (!('snapshot' in first)) throw new Error(first.status);
    const recorded = scripted({ agent: port });
    const outcome = await run(retrying, recorded, {
      ports: breathing(recorded),
      input,
      snapshot: first.snapshot,
      answer: { value: '17' },
    });
    expect(second.requests.at(-1)).toMatchObject(expected ?? {});
    expect(second.requests.at(-1)?.task_id).toBe(failed ? undefined : 't1');
    expect(outcome.status).toBe('completed');
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
