// What a flow may reach and use, as its manifest tells it.
import { expect, test } from 'vitest';
import { manifestOf } from '#lib/flow/manifest.ts';
import type { JsonObject } from '#lib/json.ts';
import { flowOf } from './scripted.ts';

const manifest = (nodes: JsonObject, more: JsonObject = {}) => manifestOf(flowOf(nodes, more));
const worst = (nodes: JsonObject, more: JsonObject = {}) => manifest(nodes, more).worst_case;
const id = 'reg_01JD2Q3V5W7X9Y1Z3A5B7C9D1E';
const look = {
  name: 'look',
  description: 'x',
  parameters: { type: 'object', properties: { id: {} } },
  http: { url: 'https://b.example/{{ args.id }}', connection: 'b' },
};

test('names all that nodes and tools may reach, wherever they stand', () => {
  const egress = ['a.example', 'b.example', 'kb.example', 'agents.example'];
  const connections = { b: { type: 'http_bearer', hosts: ['b.example'] } };
  const models = { big: { model: 'large', fallback: 'small' }, small: { model: 'little' }, unused: {} };
  const nodes = {
    each: {
      type: 'map',
      items: [1, 2],
      body: { start: 'get', nodes: { get: { type: 'http', url: 'https://a.example/{{ item }}' } } },
      next: 'work',
    },
    work: {
      type: 'agent',
      instructions: 'x',
      model: 'big',
      tools: [look, { mcp: 'https://kb.example/mcp' }, { flow: 'inner', name: 'inner', description: 'x' }],
      agents: [
        {
          name: 'child',
          description: 'x',
          instructions: 'x',
          tools: [{ discover: { tags: ['shop'] }, name: 'find', description: 'x' }],
        },
      ],
      next: 'call',
    },
    call: { type: 'a2a', agent: id, message: 'x', next: 'other' },
    other: { type: 'a2a', agent: 'https://agents.example/x', message: 'x', next: 'sub' },
    sub: { type: 'flow', flowid: 'sub' },
  };
  expect(manifest(nodes, { egress, connections, models })).toEqual({
    hosts: ['a.example', 'agents.example', 'b.example', 'kb.example'],
    models: ['big', 'default', 'small'],
    mcp_servers: ['https://kb.example/mcp'],
    agents: ['https://agents.example/x', id],
    discovers: [{ tags: ['shop'] }],
    flows: ['inner', 'sub'],
    connections: ['b'],
    pauses: true,
    worst_case: { steps: null, model_calls: null },
  });
});

const llm = { type: 'llm', prompt: 'x' };
const transform = { type: 'transform', output: 1 };

test('the worst case is the longest way', () => {
  const when = '{{ input.message = "" }}';
  const nodes = {
    way: { type: 'switch', cases: [{ when, next: 'short' }], default: 'ask' },
    ask: { ...llm, next: 'short' },
    short: { ...llm, catch: [{ on: ['*'], next: 'last' }] },
    last: llm,
  };
  expect(worst(nodes)).toEqual({ steps: 4, model_calls: 3 });
});

test('it counts fallbacks, attempts, turns, branches and items', () => {
  const models = { default: { model: 'a', fallback: 'b' }, b: { model: 'b' } };
  const retry = { max_attempts: 3, delay_ms: 0, on: ['*'] };
  expect(worst({ a: { ...llm, retry } }, { models })).toEqual({ steps: 1, model_calls: 6 });
  expect(worst({ a: { type: 'agent', instructions: 'x', max_turns: 5 } })).toEqual({
    steps: 1,
    model_calls: 5,
  });
  const branch = (name: string) => ({ start: name, nodes: { [name]: llm } });
  const branches = { one: branch('b'), two: branch('c') };
  expect(worst({ a: { type: 'parallel', branches } })).toEqual({ steps: 3, model_calls: 2 });
  expect(worst({ a: { type: 'map', items: [1, 2, 3], body: branch('b') } })).toEqual({
    steps: 4,
    model_calls: 3,
  });
  const items = '{{ input.user_variables.items }}';
  expect(worst({ a: { type: 'map', items, body: branch('b') } })).toEqual({ steps: 1001, model_calls: 1000 });
});

test('loops and called flows have no bound but the limits', () => {
  const loop = {
    a: { ...transform, next: 'b' },
    b: { type: 'switch', cases: [{ when: '{{ true }}', next: 'a' }], default: 'a' },
  };
  expect(worst(loop)).toEqual({ steps: null, model_calls: null });
  expect(worst({ a: { type: 'flow', flowid: 'x' } })).toEqual({ steps: null, model_calls: null });
});

test('a flow that reaches nothing says so', () => {
  expect(manifest({ a: transform })).toEqual({
    hosts: [],
    models: [],
    mcp_servers: [],
    agents: [],
    discovers: [],
    flows: [],
    connections: [],
    pauses: false,
    worst_case: { steps: 1, model_calls: 0 },
  });
});
