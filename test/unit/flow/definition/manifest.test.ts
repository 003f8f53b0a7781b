// The manifest of a flow: what the flow may reach and use.
import { expect, test } from 'vitest';
import { buildManifest } from '#lib/flow/definition/manifest.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { checkedFlow } from '../scripted.ts';

const manifest = (nodes: JsonObject, more: JsonObject = {}) => buildManifest(checkedFlow(nodes, more));
const id = 'reg_01JD2Q3V5W7X9Y1Z3A5B7C9D1E';
const look = {
  name: 'look',
  description: 'x',
  parameters: { type: 'object', properties: { id: {} } },
  http: { url: 'https://b.example/{{ args.id }}', connection: 'b' },
};

test('names everything that nodes and tools may reach, at any depth', () => {
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
    models: ['default', 'large', 'little'],
    mcp_servers: ['https://kb.example/mcp'],
    agents: ['https://agents.example/x', id],
    discovers: [{ tags: ['shop'] }],
    flows: ['inner', 'sub'],
    connections: ['b'],
    pauses: true,
    worst_case: { steps: 200, model_calls: 40 },
  });
});

test('names all hosts of egress if the URL of a request is data', () => {
  const egress = ['a.example', '*.b.example:8443'];
  const nodes = { get: { type: 'http', url: '{{ input.user_variables.next }}' } };
  expect(manifest(nodes, { egress }).hosts).toEqual(['*.b.example:8443', 'a.example']);
});

test('names the models that its nodes call, with their fallbacks', () => {
  const models = {
    default: { model: 'standard', fallback: 'cheap' },
    cheap: { provider: 'bedrock', model: 'nova-lite', fallback: 'own' },
    own: { provider: 'openai-compatible', model: 'qwen3', base_url: 'https://models.example/v1' },
    warm: { temperature: 1 },
    unused: { model: 'large' },
  };
  const asks = (...names: readonly (string | undefined)[]) =>
    Object.fromEntries(
      names.map((model, index) => [
        `n${index}`,
        {
          ...{ type: 'llm', prompt: 'x', ...(model && { model }) },
          ...(index + 1 < names.length && { next: `n${index + 1}` }),
        },
      ]),
    );
  const used = (nodes: JsonObject, more: JsonObject = {}) => manifest(nodes, more).models;
  expect(used(asks(undefined))).toEqual(['default']);
  expect(used(asks('warm'), { models })).toEqual(['default']);
  expect(used(asks('own'), { models })).toEqual(['openai-compatible/qwen3 at https://models.example/v1']);
  expect(used(asks(undefined, 'warm', 'cheap'), { models })).toEqual([
    'bedrock/nova-lite',
    'default',
    'openai-compatible/qwen3 at https://models.example/v1',
    'standard',
  ]);
});

test('the manifest of a flow that reaches nothing is empty', () => {
  expect(manifest({ a: { type: 'transform', output: 1 } })).toEqual({
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
