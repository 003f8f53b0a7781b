// What `checkFlow` says about agents and their tools.
import { expect, test } from 'vitest';
import { checkFlow } from '#lib/flow/check/check-flow.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { mistakes, pauses, plain, valid, with_, withNode } from './faulty-flows.ts';

const agent = (parts: JsonObject) => ({
  ...withNode({ type: 'agent', instructions: 'x', next: 'b', ...parts }),
  connections: { crm: { type: 'http_bearer', hosts: ['crm.example'] } },
});
const tool = (parts: JsonObject) => agent({ tools: [parts] });
const named = { name: 't', description: 'x' };
const taking = (...names: readonly string[]) => ({
  parameters: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, {}])) },
});
const look = { http: { url: 'https://api.example.com/{{ args.id }}' }, ...named, ...taking('id') };
const child = { name: 'c', description: 'x', instructions: 'x' };

const table: readonly (readonly [string, unknown, string, string])[] = [
  [
    'a chosen tool whose name is nearly that of one',
    agent({ agents: [{ ...child, name: 'lookup_order' }], tool_choice: { tool: 'lookup_ordre' } }),
    '/nodes/a/tool_choice',
    'did you mean "lookup_order"? Expected the name of a tool: one of lookup_order',
  ],
  [
    'an agent without instructions',
    agent({ instructions: '' }),
    '/nodes/a/instructions',
    'must have at least 1 character',
  ],
  [
    'an unknown model',
    agent({ model: 'slow' }),
    '/nodes/a/model',
    'unknown model "slow": expected one of fast',
  ],
  [
    'a text that is streamed and an object',
    agent({ stream: true, output_schema: { type: 'object' } }),
    '/nodes/a/stream',
    'no `stream` together with `output_schema`',
  ],
  [
    'a child that would speak to the caller',
    agent({ agents: [{ ...child, stream: true }] }),
    '/nodes/a/agents/0/stream',
    'unknown field',
  ],
  [
    'an effort that there is not',
    agent({ reasoning: 'most' }),
    '/nodes/a/reasoning',
    'must be one of "low", "medium", "high"',
  ],
  [
    'an unknown model of a child',
    agent({ agents: [{ ...child, model: 'slow' }] }),
    '/nodes/a/agents/0/model',
    'slow',
  ],
  ['a tool of no kind', tool(named), '/nodes/a/tools/0', 'exactly one of http, mcp, flow, a2a, discover'],
  ['a tool of two kinds', tool({ ...look, flow: 'x' }), '/nodes/a/tools/0', 'exactly one of'],
  ['a tool without a name', tool({ http: look.http, description: 'x' }), '/nodes/a/tools/0/name', 'required'],
  [
    'a tool without a description',
    tool({ flow: 'x', name: 't' }),
    '/nodes/a/tools/0/description',
    'required',
  ],
  [
    'a name that models cannot call',
    tool({ ...look, name: 'a b' }),
    '/nodes/a/tools/0/name',
    'expected a name',
  ],
  [
    'a field of another kind',
    tool({ ...look, tools: ['x'] }),
    '/nodes/a/tools/0/tools',
    'unknown field of a tool of kind http: expected one of http, name, description, parameters, approval, timeout_seconds',
  ],
  [
    'a tool with no time',
    tool({ ...look, timeout_seconds: 0 }),
    '/nodes/a/tools/0/timeout_seconds',
    'must be above 0',
  ],
  [
    'a tool with more time than there is',
    tool({ ...look, timeout_seconds: 901 }),
    '/nodes/a/tools/0/timeout_seconds',
    'must be at most 900',
  ],
  [
    'a tool with more time than its agent',
    agent({ timeout_seconds: 10, tools: [{ ...look, timeout_seconds: 11 }] }),
    '/nodes/a/tools/0/timeout_seconds',
    'expected at most 10, the time of the agent',
  ],
  [
    'a child with more time than its agent',
    agent({ timeout_seconds: 10, agents: [{ ...child, timeout_seconds: 11 }] }),
    '/nodes/a/agents/0/timeout_seconds',
    'expected at most 10, the time of the agent',
  ],
  [
    'a tool with more time than the child that has it',
    agent({ agents: [{ ...child, timeout_seconds: 5, tools: [{ ...look, timeout_seconds: 6 }] }] }),
    '/nodes/a/agents/0/tools/0/timeout_seconds',
    'expected at most 5, the time of the agent',
  ],
  [
    'a host that is not in egress',
    tool({ ...look, http: { url: 'https://evil.example/' } }),
    '/nodes/a/tools/0/http/url',
    'not in `egress`',
  ],
  [
    'a host that the model could choose',
    tool({ ...look, http: { url: 'https://{{ args.host }}/' } }),
    '/nodes/a/tools/0/http/url',
    'literal',
  ],
  [
    'a server outside egress',
    tool({ mcp: 'https://kb.example/' }),
    '/nodes/a/tools/0/mcp',
    'not in `egress`',
  ],
  [
    'an agent outside egress',
    tool({ a2a: 'https://kb.example/', ...named }),
    '/nodes/a/tools/0/a2a',
    'not in `egress`',
  ],
  [
    'an undeclared connection',
    tool({ ...look, http: { ...look.http, connection: 'x' } }),
    '/nodes/a/tools/0/http/connection',
    'unknown connection "x": expected one of crm',
  ],
  [
    'a connection for another host',
    tool({ mcp: 'https://api.example.com/mcp', connection: 'crm' }),
    '/nodes/a/tools/0/connection',
    'not for the host api.example.com',
  ],
  [
    'parameters that are no object',
    tool({ ...look, parameters: { type: 'string' } }),
    '/nodes/a/tools/0/parameters/type',
    '"object"',
  ],
  [
    'a schema that is none',
    tool({ ...look, parameters: { type: 'object', if: {} } }),
    '/nodes/a/tools/0/parameters/if',
    '',
  ],
  ['a name used twice', agent({ tools: [look, look] }), '/nodes/a/tools/1/name', '"t" is taken'],
  [
    'a child with the name of a tool',
    agent({ tools: [look], agents: [{ ...child, name: 't' }] }),
    '/nodes/a/agents/0/name',
    '"t" is taken',
  ],
  [
    'a tool called like the one that captures',
    agent({ tools: [{ ...look, name: 'capture' }], capture: { n: { description: 'x', schema: {} } } }),
    '/nodes/a/tools/0/name',
    '"capture" is taken',
  ],
  [
    'a schema of a captured value that is none',
    agent({ capture: { n: { description: 'x', schema: { type: 'text' } } } }),
    '/nodes/a/capture/n/schema/type',
    '',
  ],
  [
    'an unknown name in a tool of a child',
    agent({
      agents: [{ ...child, tools: [{ ...look, http: { url: 'https://api.example.com/{{ arg.id }}' } }] }],
    }),
    '/nodes/a/agents/0/tools/0/http/url',
    'unknown name "arg"',
  ],
  [
    'an argument that is not declared',
    tool({ ...look, ...taking('no', 'size') }),
    '/nodes/a/tools/0/http/url',
    'unknown name "args.id": expected args.no, args.size',
  ],
  [
    'an argument that is not declared, beside a choice of those that are',
    tool({ ...look, parameters: { ...taking('no').parameters, anyOf: [{ required: ['no'] }] } }),
    '/nodes/a/tools/0/http/url',
    'unknown name "args.id": expected args.no',
  ],
  [
    'an argument of a tool that takes none',
    tool({ ...named, http: look.http }),
    '/nodes/a/tools/0/http/url',
    'unknown name "args.id": expected none, because none is declared',
  ],
  [
    'an argument that is not declared, deep in a body, in a tool of a child',
    agent({
      agents: [
        {
          ...child,
          tools: [{ ...look, http: { ...look.http, method: 'POST', body: { a: ['{{ $sum(args.n) }}'] } } }],
        },
      ],
    }),
    '/nodes/a/agents/0/tools/0/http/body/a/0',
    'unknown name "args.n": expected args.id',
  ],
  [
    'args outside a tool',
    agent({ instructions: '{{ args.id }}' }),
    '/nodes/a/instructions',
    'unknown name "args"',
  ],
];

test.each(table)('%s is refused', (_what, flow, pointer, detail) => {
  expect(mistakes(flow)).toContainEqual({ pointer, detail: expect.stringContaining(detail) });
});

test.each([
  ['declared', taking('id').parameters],
  ['one of any others', { type: 'object', additionalProperties: { type: 'string' } }],
  ['declared elsewhere', { type: 'object', $ref: '#/$defs/all', $defs: { all: {} } }],
  ['declared by all of some schemas', { type: 'object', allOf: [taking('id').parameters] }],
  ['declared by any of some schemas', { ...taking('no').parameters, anyOf: [taking('id').parameters] }],
  ['declared by one of some schemas', { type: 'object', oneOf: [{ anyOf: [taking('id').parameters] }] }],
  ['required only', { type: 'object', required: ['id'] }],
])('an argument may be %s', (_what, parameters) => {
  expect(mistakes(tool({ ...look, parameters }))).toEqual([]);
});

test('captured names are known as variables of the state', () => {
  const capture = { order_id: { description: 'x', schema: { type: 'string' } } };
  const { nodes } = valid;
  const flow = with_({
    nodes: {
      a: { type: 'agent', instructions: 'x', capture, next: 'b' },
      b: { ...nodes.b, output: { id: '{{ state.order_id }}' } },
    },
  });
  expect(checkFlow(plain(flow))).toMatchObject({ ok: true, warnings: [] });
});

test.each([
  ['a tool that needs approval', { tools: [{ ...look, approval: 'always' }] }, ['/nodes/a']],
  ['another flow', { tools: [{ flow: 'x', ...named }] }, ['/nodes/a']],
  [
    'a child that asks another agent',
    { agents: [{ ...child, tools: [{ discover: {}, ...named }] }] },
    ['/nodes/a'],
  ],
  ['requests only', { tools: [look] }, []],
])('an agent with %s may pause the run: %#', (_what, parts, places) => {
  expect(pauses(agent(parts))).toEqual(places);
});
