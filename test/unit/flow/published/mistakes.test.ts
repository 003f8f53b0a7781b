// Mistakes that show in one place of a flow: an editor marks them by the published schema, and the check
// refuses them.
import { expect, test } from 'vitest';
import { checkFlow } from '#lib/flow/check/check-flow.ts';
import { nodeTypes } from '#lib/flow/definition/node-types.ts';

import { validate } from './published.ts';

/** A valid node of each type; types that have a `next` lead to `b`. */
const right = {
  llm: { prompt: 'x' },
  agent: { instructions: 'x' },
  http: { url: 'https://api.example.com/x' },
  mcp: { server: 'https://api.example.com/mcp', tool: 't' },
  a2a: { agent: 'https://api.example.com/a', message: 'x' },
  flow: { flowid: 'other' },
  transform: { output: 1 },
  switch: { cases: [{ when: '{{ true }}', next: 'b' }], default: 'b' },
  parallel: { branches: { one: { start: 'c', nodes: { c: { type: 'transform', output: 1 } } } } },
  map: { items: [], body: { start: 'c', nodes: { c: { type: 'transform', output: 1 } } } },
  ask: { prompt: 'x' },
  store: { get: 'key' },
  code: { code: 'return input' },
  wait: { seconds: 1 },
  reply: { text: 'x' },
  fail: { message: 'x' },
  end: { output: {} },
} as const satisfies Record<keyof typeof nodeTypes, object>;
type Type = keyof typeof right;

const goesOn = (type: Type) => !['switch', 'fail', 'end'].includes(type);
const around = {
  ...{ version: 1, name: 'F', egress: ['api.example.com'], start: 'a' },
};
const node = (type: Type, parts: object = {}) => {
  const a = { type, ...right[type], ...(goesOn(type) && { next: 'b' }), ...parts };
  const b = ['fail', 'end'].includes(type) ? {} : { b: { type: 'end', output: {} } };
  return { ...around, nodes: { a: JSON.parse(JSON.stringify(a)), ...b } };
};
const flow = (parts: object) => ({ ...node('transform'), ...parts });
const tool = (parts: object) => node('agent', { tools: [parts] });
const named = { name: 't', description: 'x' };
const look = { ...named, http: { url: 'https://api.example.com/' } };

test.each(Object.keys(nodeTypes))('the node of type %s that these mistakes are made in is right', (type) => {
  const known = (Object.keys(right) as Type[]).find((name) => name === type);
  const made = known && node(known);
  expect(checkFlow(made)).toMatchObject({ ok: true });
  expect(validate('', made)).toBe(true);
});

test('the tool that these mistakes are made in is right', () => {
  expect(checkFlow(tool(look))).toMatchObject({ ok: true });
  expect(validate('', tool(look))).toBe(true);
});

const inside = (c: object) => ({ start: 'c', nodes: { c } });

test.each<[string, object]>([
  // the flow
  ['an unknown field', flow({ nmae: 'F' })],
  ['another version', flow({ version: 2 })],
  ['a missing name', flow({ name: undefined })],
  ['no nodes', flow({ nodes: {} })],
  [
    'more nodes than a flow may have',
    flow({
      nodes: Object.fromEntries(
        Array.from({ length: 501 }, (_, n) => [`n${n}`, { type: 'fail', message: 'x' }]),
      ),
    }),
  ],
  ['an id that is none', flow({ nodes: { 'A B': { type: 'fail', message: 'x' } } })],
  [
    'an id that reaches for prototypes',
    flow({ nodes: { ...node('transform').nodes, constructor: { type: 'fail', message: 'x' } } }),
  ],
  ['a variable that reaches for prototypes', flow({ state: { prototype: 1 } })],
  ['a host that is a URL', flow({ egress: ['https://api.example.com'] })],
  ['a provider without a model', flow({ models: { m: { provider: 'bedrock' } } })],
  ['an address of no provider', flow({ models: { m: { model: 'x', base_url: 'https://x.example' } } })],
  [
    'an address that is none',
    flow({ models: { m: { provider: 'bedrock', model: 'x', base_url: 'ftp://x.example' } } }),
  ],
  ['a connection for no host', flow({ connections: { c: { type: 'http_bearer', hosts: [] } } })],
  ['a test that expects nothing', flow({ tests: [{ input: {} }] })],
  ['a schema of an unknown type', flow({ input: { type: 'text' } })],
  ['a schema with a keyword that is not supported', flow({ output: { properties: { x: { if: {} } } } })],
  ['a schema that refers to the outside', flow({ input: { $ref: 'https://x.example/y' } })],
  // every node
  ['an unknown node type', flow({ nodes: { a: { type: 'teleport' } } })],
  ['a field of another node type', node('transform', { url: 'https://api.example.com' })],
  [
    'a pattern that is no code of an error',
    node('transform', { retry: { max_attempts: 2, delay_ms: 1, on: ['HTTP 5xx'] } }),
  ],
  ['a time of nothing', node('transform', { timeout_seconds: 0 })],
  ['a way after the last visit without a number of visits', node('transform', { on_max_visits: 'b' })],
  ['a key that reaches for prototypes', node('transform', { output: { a: [{ constructor: 1 }] } })],
  ['a mistake in a node inside a node', node('map', { body: inside({ type: 'transform', outptu: 1 }) })],
  [
    'a mistake two levels down',
    node('map', {
      body: inside({
        type: 'map',
        items: [],
        body: { start: 'd', nodes: { d: { type: 'llm', prompt: 'x', temperature: 3 } } },
      }),
    }),
  ],
  [
    'an id inside a node that is none',
    node('map', { body: { start: 'c', nodes: { C: { type: 'transform', output: 1 } } } }),
  ],
  [
    'an unknown rule of a merge',
    node('map', { body: inside({ type: 'transform', output: 1, assign: { x: 1 } }), merge: { x: 'concat' } }),
  ],
  ['a body of no nodes', node('map', { body: { start: 'c', nodes: {} } })],
  // llm, agent
  ['neither prompt nor messages', node('llm', { prompt: undefined })],
  ['an unknown word for on_cut', node('llm', { on_cut: 'ignore' })],
  ['five texts to stop at', node('llm', { stop: ['a', 'b', 'c', 'd', 'e'] })],
  ['an empty text to stop at', node('llm', { stop: [''] })],
  ['a seed with a fraction', node('agent', { seed: 0.5 })],
  ['a top_p above 1', node('llm', { top_p: 1.5 })],
  ['both prompt and messages', node('llm', { messages: [{ role: 'user', content: 'x' }] })],
  [
    'an object as it is written, of a model',
    node('llm', { stream: true, output_schema: { type: 'object' } }),
  ],
  [
    'an object as it is written, of an agent',
    node('agent', { stream: true, output_schema: { type: 'object' } }),
  ],
  ['a tool of no kind', tool(named)],
  ['a tool of two kinds', tool({ ...look, flow: 'x' })],
  ['a tool without a name', tool({ http: look.http, description: 'x' })],
  ['a tool without a description', tool({ flow: 'x', name: 't' })],
  ['a field of a tool of another kind', tool({ ...look, tools: ['x'] })],
  ['parameters that are no object', tool({ ...look, parameters: { type: 'string' } })],
  ['parameters of any type', tool({ ...look, parameters: {} })],
  ['a body with GET in a tool', tool({ ...look, http: { ...look.http, body: 1 } })],
  ['a server that is no URL', tool({ mcp: 'kb' })],
  ['an agent that is neither id nor URL', tool({ ...named, a2a: 'carrier' })],
  ['an expression in a filter', tool({ ...named, discover: { q: '{{ state.q }}' } })],
  ['another choice of a tool', node('agent', { tool_choice: 'any' })],
  ['what says nothing that ends the agent', tool({ say: {}, ends: true })],
  ['too many questions', tool({ ask_user: { max_questions: 21 } })],
  ['an approval of a question', tool({ ask_user: {}, approval: 'always' })],
  ['an optional tool that is no server', tool({ ...look, optional: true })],
  ['a captured value without a schema', node('agent', { capture: { n: { description: 'x' } } })],
  // http, mcp, a2a, flow
  ['a host that an expression gives', node('http', { url: 'https://{{ state.host }}/x' })],
  ['a URL of two expressions', node('http', { url: '{{ state.url }}/x' })],
  ['a part of the body that is no expression', node('http', { select: 'body.id' })],
  ['a header of the response that has no name', node('http', { response_headers: ['x y'] })],
  ['another scheme', node('http', { url: 'file://api.example.com/' })],
  ['a body with GET', node('http', { method: 'GET', body: {} })],
  ['a body with no method', node('http', { body: {} })],
  ['bytes with GET', node('http', { body_base64: 'eA==' })],
  ['two bodies', node('http', { method: 'PUT', body: 1, body_base64: 'eA==' })],
  ['a file and a body', node('http', { method: 'PUT', body: 1, body_file: '{{ input.files[0] }}' })],
  ['a file and bytes', node('http', { method: 'PUT', body_base64: 'eA==', body_file: 'x' })],
  ['a file with GET', node('http', { body_file: '{{ input.files[0] }}' })],
  ['a response that is saved and selected', node('http', { save: true, select: '{{ body.id }}' })],
  ['a response that is saved as text', node('http', { save: true, response: 'text' })],
  ['a head that is saved', node('http', { save: true, method: 'HEAD' })],
  ['a response that is not saved', node('http', { save: false })],
  ['a status that is none', node('http', { accept: [100] })],
  ['a class of no status', node('http', { accept: ['2XX'] })],
  ['no status at all', node('http', { accept: [] })],
  ['a header of the connection', node('http', { headers: { Host: 'x' } })],
  ['a name that no header has', node('http', { headers: { 'x:y': 'x' } })],
  ['a server that an expression gives', node('mcp', { server: 'https://api.example.com/{{ state.x }}' })],
  ['a tool that an expression gives', node('mcp', { tool: '{{ state.tool }}' })],
  ['arguments that are text', node('mcp', { arguments: 'text' })],
  ['neither an agent nor a filter', node('a2a', { agent: undefined })],
  ['an agent and a filter', node('a2a', { discover: { q: 'x' } })],
  ['nothing to say', node('a2a', { message: undefined })],
  ['an agent that an expression gives', node('a2a', { agent: '{{ state.agent }}' })],
  ['a reserved id', node('flow', { flowid: 'tasks' })],
  ['the id of a trigger', node('flow', { flowid: 'trg_x' })],
  ['variables that are text', node('flow', { user_variables: 'text' })],
  // switch, parallel, map
  ['a condition that is text', node('switch', { cases: [{ when: 'x {{ true }}', next: 'b' }] })],
  ['no branches', node('parallel', { branches: {} })],
  [
    'more branches than there may be',
    node('parallel', {
      branches: Object.fromEntries(
        Array.from({ length: 51 }, (_, n) => [
          `n${n}`,
          { start: `c${n}`, nodes: { [`c${n}`]: { type: 'transform', output: 1 } } },
        ]),
      ),
    }),
  ],
  ['items that are text', node('map', { items: 'text' })],
  ['items that are an object', node('map', { items: {} })],
  // ask, wait, reply, end
  ['choices that are text', node('ask', { choices: 'yes or no' })],
  ['a way for no timeout', node('ask', { on_timeout: 'b' })],
  ['a wait for nothing', node('wait', { seconds: undefined })],
  ['a wait for two things', node('wait', { until: '2027-01-31T09:00:00Z' })],
  ['a wait of text', node('wait', { seconds: '5' })],
  ['a wait for an event without a key', node('wait', { seconds: undefined, event: 'paid' })],
  ['a wait for a time and an event', node('wait', { event: 'paid', key: 'a' })],
  ['a wait for an event of two words', node('wait', { seconds: undefined, event: 'is paid', key: 'a' })],
  ['a wait with a key of no event', node('wait', { key: 'a' })],
  ['a wait with a time limit of no event', node('wait', { timeout_seconds: 5 })],
  ['a wait until no time', node('wait', { seconds: undefined, until: 'tomorrow' })],
  ['a reply of nothing', node('reply', { text: undefined })],
  ['a file that is nowhere', node('reply', { file: { filename: 'x' } })],
  ['a file that is stored and at a URL', node('reply', { file: { file: 'x', url: 'https://x.example/' } })],
  ['a file in two places', node('reply', { file: { raw: 'eA==', url: 'https://x.example/' } })],
  ['a flag that is text', node('reply', { artifact: { artifact_id: 'x', append: 'yes' } })],
  ['a response that is a list', node('end', { output: [1] })],
  ['an artifact of nothing', node('end', { artifacts: [{ name: 'x' }] })],
  ['a file of an artifact that is nowhere', node('end', { artifacts: [{ file: {} }] })],
  ['a status that is an artifact', node('reply', { as: 'status', artifact: { artifact_id: 'x' } })],
  [
    'metadata of an artifact that is beside it',
    node('reply', { artifact: { artifact_id: 'x' }, metadata: {} }),
  ],
  ['extensions that are no list', node('reply', { extensions: 'urn:a' })],
  ['metadata that is a list', node('end', { artifacts: [{ text: 'x', metadata: [1] }] })],
  ['a message of a message', node('end', { as: 'message', message: 'x' })],
  ['labels of a rejection', node('end', { as: 'rejected', response_artifact: { name: 'x' } })],
  ['artifacts of a message', node('end', { as: 'message', artifacts: [{ text: 'x' }] })],
])('%s is refused by the published schema as by the check', (_what, wrong) => {
  expect(validate('', wrong)).not.toBe(true);
  expect(checkFlow(wrong).ok).toBe(false);
});
