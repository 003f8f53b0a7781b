// Flows of up to 2 MB that are made to be slow to check: those that the audit found, and one for each part of
// the format that may be repeated.
import type { Json, JsonObject } from '#lib/json/json.ts';

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const named = (count: number, make: (index: number) => Json, prefix = 'k'): JsonObject =>
  Object.fromEntries(times(count, (index) => [`${prefix}${index}`, make(index)]));
const twice = (text: string, count: number, middle = '') => `${text.repeat(count)}${middle}`;

const newFlow = (nodes: JsonObject, more: JsonObject = {}): JsonObject => ({
  ...{ version: 1, name: 'Large', start: Object.keys(nodes)[0] ?? 'a', nodes },
  ...more,
});
const node = (output: Json, more: JsonObject = {}): JsonObject => ({ type: 'transform', output, ...more });
const giving = (output: Json, more: JsonObject = {}) => newFlow({ a: node(output) }, more);
const expressions = (count: number, source: (index: number) => string) =>
  giving(times(count, (index) => `{{ ${source(index)} }}`));

const withTools = (count: number, parameters: (tool: number) => JsonObject) =>
  newFlow(
    {
      a: {
        ...{ type: 'agent', instructions: 'x' },
        tools: times(count, (index) => ({
          ...{ http: { url: 'https://a.example/' }, name: `t${index}`, description: 'd' },
          parameters: { type: 'object', ...parameters(index) },
        })),
      },
    },
    { egress: ['a.example'] },
  );

const tests = (count: number, mocks: JsonObject): JsonObject => ({
  tests: times(count, () => ({ input: {}, expect: '{{ true }}', mocks })),
});

/** As the audit found them, or worse. */
export const knownFlows: Readonly<Record<string, () => JsonObject>> = {
  '390 paths of 2,500 names': () => expressions(390, () => `$count(${twice('a.', 2_499, 'a')})`),
  '390 quotients of 2,500 names': () => expressions(390, () => twice('a/', 2_500, 'a')),
  '600 paths with parents': () => expressions(600, () => twice('a.', 800, twice('%.', 700, 'a'))),
  '4,000 large regular expressions': () =>
    expressions(4_000, (index) => `$match(input.message, /x${index}\\p{L}{999}/)`),
  '60 tools with 490 patterns each': () =>
    withTools(60, (tool) => ({
      properties: named(490, (index) => ({ pattern: `^a{1,3}$${tool}_${index}` })),
    })),
  'defaults inside defaults': () => expressions(40, () => `${'('.repeat(100)}a${'?? b)'.repeat(100)}`),
  'choices inside choices': () => expressions(40, () => `${'['.repeat(100)}a${'?: b]'.repeat(100)}`),
  'a pattern of 250 million instructions': () => giving(1, { input: { pattern: 'a{1000}'.repeat(250_000) } }),
};

/** Each is as large as it may be, or a little larger, at a scale of 1. */
export const shapes: Readonly<Record<string, (scale: number) => JsonObject>> = {
  'sums in long expressions': (s) => expressions(380 * s, () => twice('1+', 2_500, '1')),
  'sums in short expressions': (s) => expressions(5_000 * s, (index) => twice('1+', 180, `${index}`)),
  'lists in expressions': (s) => expressions(380 * s, () => `[${twice('1,', 2_500, '1')}]`),
  'objects in expressions': (s) => expressions(380 * s, () => `{${twice('"a":1,', 800, '"b":1')}}`),
  'filters in paths': (s) => expressions(380 * s, () => twice('a[b].', 1_000, 'a')),
  'names that are unknown': (s) =>
    expressions(380 * s, () => `[${times(600, (index) => `$z${index}`).join()}]`),
  'paths that are unknown': (s) =>
    expressions(380 * s, () => `[${times(600, (index) => `z${index}`).join()}]`),
  comments: (s) => expressions(380 * s, () => twice('/*a*/', 1_000, '1')),
  'templates in one text': (s) => giving('{{input.message}}'.repeat(110_000 * s)),
  'more expressions than there may be': (s) => giving(times(130_000 * s, () => '{{a+b}}')),
  'one path': (s) => giving(`{{${twice('a.', 900_000 * s, 'a')}}}`),
  'expressions under a name of 2 MB': (s) =>
    newFlow({
      a: {
        type: 'end',
        output: { ['k'.repeat(1_850_000 * s)]: times(4_900, () => '{{ input.message }}') },
      },
    }),
  'templates that are not closed': (s) => giving(times(250_000 * s, () => '{{ a')),
  braces: (s) => giving(`{{${'{'.repeat(900_000 * s)}${'}'.repeat(900_000 * s)}}}`),
  'white space': (s) => giving(`{{${' '.repeat(1_900_000 * s)}a}}`),
  'more nodes than there may be': (s) => newFlow(named(90_000 * s, () => ({ type: 'end' }))),
  'nodes that are none': (s) => newFlow(named(150_000 * s, () => 1)),
  'ids that are none': (s) => newFlow(named(140_000 * s, () => ({}), 'N')),
  'fields that are unknown': (s) =>
    newFlow({ a: { type: 'end', output: {}, ...named(150_000 * s, () => 1) } }),
  'parts that are unknown': (s) =>
    giving(
      1,
      named(150_000 * s, () => 1),
    ),
  'ways of catches': (s) =>
    newFlow(
      named(500, (index) =>
        node(`{{ nodes.k${(index + 1) % 500} }}`, {
          next: `k${(index + 1) % 500}`,
          catch: times(100 * s + 1, (way) => ({ on: ['*'], next: `k${(index * 7 + way * 13) % 500}` })),
        }),
      ),
    ),
  'cases of switches': (s) =>
    newFlow(
      named(200, (index) => ({
        ...{ type: 'switch', default: `k${(index + 1) % 200}` },
        cases: times(100 * s + 1, (at) => ({
          when: `{{ input.message = "${index}-${at}" }}`,
          next: `k${(index + at) % 200}`,
        })),
      })),
    ),
  'errors of a catch': (s) =>
    newFlow({
      a: node(1, { catch: [{ on: times(130_000 * s + 1, (index) => `http.x${index}`), next: 'a' }] }),
    }),
  'one error of a catch': (s) =>
    newFlow({ a: node(1, { catch: [{ on: [twice('a.', 20_000 * s + 1, 'a')], next: 'a' }] }) }),
  assignments: (s) => newFlow({ a: node(1, { assign: named(150_000 * s, () => 1) }) }),
  'names of assignments that are none': (s) =>
    newFlow({ a: node(1, { assign: named(150_000 * s, () => 1, '-') }) }),
  'headers with expressions': (s) =>
    newFlow(
      { a: { type: 'http', url: 'https://a.example/', headers: named(80_000 * s, () => '{{ env.x }}') } },
      { egress: ['a.example'] },
    ),
  'connections that are unknown': (s) =>
    newFlow(
      named(300 * s + 1, () => ({
        ...{ type: 'agent', instructions: 'x' },
        tools: times(120, (index) => ({ mcp: 'https://b.example/', connection: `no${index}` })),
      })),
      { connections: named(500, () => ({ type: 'http_bearer', hosts: ['a.example'] }), 'c'.repeat(50)) },
    ),
  'properties of a schema': (s) =>
    giving(1, { input: { properties: named(70_000 * s, () => ({ type: 'string' })) } }),
  'keywords that are unknown': (s) => giving(1, { input: named(150_000 * s, () => 1) }),
  'references that are none': (s) =>
    giving(1, {
      input: { $ref: '#', $defs: named(50_000 * s, (index) => ({ $ref: `#/$defs/k${index + 1}` })) },
    }),
  'long patterns': (s) =>
    giving(1, {
      input: { anyOf: times(490, (index) => ({ pattern: `${'(a|b)c?'.repeat(550 * s)}${index}` })) },
    }),
  'properties of Unicode': (s) =>
    giving(1, {
      input: { anyOf: times(490, (index) => ({ pattern: `${'\\p{L}'.repeat(700 * s + 1)}${index}` })) },
    }),
  'outputs of mocks': (s) => giving(1, tests(100, { a: { in_order: times(8_000 * s + 1, () => 1) } })),
  'mocks of nodes that are none': (s) =>
    giving(
      1,
      tests(
        100,
        named(1_500 * s, () => 1),
      ),
    ),
  'mocks that break a schema': (s) =>
    newFlow(
      {
        a: {
          type: 'llm',
          prompt: 'x',
          output_schema: {
            properties: named(200, () => ({ type: 'string' })),
            required: times(200, (index) => `k${index}`),
          },
        },
      },
      tests(100, { a: { in_order: times(5_000 * s + 1, () => ({})) } }),
    ),
  expectations: (s) =>
    giving(1, {
      tests: times(100, () => ({ input: {}, expect: `{{ ${twice('nodes.a.', 600 * s, 'b')} }}` })),
    }),
  'more tests than there may be': (s) =>
    giving(1, { tests: times(50_000 * s, () => ({ input: {}, expect: 'true' })) }),
  numbers: (s) => giving(times(900_000 * s, () => 1)),
  'empty objects': (s) => giving(times(600_000 * s, () => ({}))),
  'hostile names': (s) => giving(times(100_000 * s, () => JSON.parse('{"__proto__": 1}'))),
  'a name of 2 MB': (s) => giving({ ['n'.repeat(1_000_000 * s)]: times(30_000 * s, () => '{{ zzz }}') }),
  hosts: (s) => giving(1, { egress: times(100_000 * s, (index) => `A${index}`) }),
  models: (s) => giving(1, { models: named(90_000 * s, () => ({})) }),
  'unknown fields near known ones': (s) =>
    newFlow({ a: { type: 'end', output: {}, ...named(110_000 * s, () => 1, 'outpt') } }),
  'unknown nodes near known ones': (s) =>
    newFlow({
      ...named(
        499,
        (index) => node(1, { next: index === 498 ? 'a' : `report_of_the_day_number_${index + 1}` }),
        'report_of_the_day_number_',
      ),
      a: node(times(4_900 * s, (index) => `{{ nodes.report_of_the_dya_number_${index}.x }}`)),
    }),
  'unknown variables near known ones': (s) =>
    giving(
      times(4_900 * s, (index) => `{{ state.reprot_of_the_day_${index} }}`),
      { state: named(60_000 * s, () => 1, 'report_of_the_day_') },
    ),
  'unknown variables in long expressions': (s) =>
    giving(
      times(250 * s, (index) => `{{ [${times(400, (n) => `state.a${n}`).join()}, ${index}] }}`),
      { state: named(20_000 * s, () => 1, 'b') },
    ),
  'unknown functions near known ones': (s) =>
    expressions(380 * s, () => `[${times(400, (index) => `$uppercas${index}`).join()}]`),
  'unknown connections near known ones': (s) =>
    newFlow(
      named(100 * s + 1, () => ({
        ...{ type: 'agent', instructions: 'x' },
        agents: times(20, (child) => ({
          ...{ name: `c${child}`, description: 'x', instructions: 'x' },
          tools: times(10, (index) => ({ mcp: 'https://a.example/', connection: `conection_${index}` })),
        })),
      })),
      {
        connections: named(900, () => ({ type: 'http_bearer', hosts: ['a.example'] }), 'connection_'),
        egress: ['a.example'],
      },
    ),
  'operators of other languages': (s) => expressions(380 * s, () => `${twice('1+', 2_400, '1')} == 2`),
  'placeholders of other languages': (s) => giving(times(5_000 * s, () => '$\u007b   '.repeat(75))),
  'quotients that are valid': (s) => expressions(150 * s, () => twice('env.a/', 800, 'env.b')),
  'divisions by zero': (s) => expressions(150 * s, () => twice('1/0+', 1_200, '1')),
  'comparisons with null': (s) => expressions(150 * s, () => `[${twice('env.a=null,', 400, 'env.a=null')}]`),
  'names of the scope in filters': (s) =>
    giving(
      times(150 * s, () => `{{ [${twice('env.a[b=state.x],', 280, '1')}] }}`),
      { state: { x: 1 } },
    ),
  'lengths of values': (s) => expressions(150 * s, () => `[${twice('env.a.length,', 380, '1')}]`),
  'defaults that share their sides': (s) =>
    expressions(3_000 * s, () => `${'('.repeat(8)}env.a${'??1)'.repeat(8)}`),
  'members of outputs': (s) =>
    newFlow({
      a: {
        ...{ type: 'llm', prompt: 'x', next: 'b' },
        output_schema: {
          type: 'object',
          additionalProperties: false,
          properties: named(10_000 * s + 1, () => ({ type: 'object', required: times(20, () => 'x') })),
        },
      },
      b: node(times(4_900 * s, (index) => `{{ nodes.a.x${index}.y = null or nodes.a.k${index}.z = null }}`)),
    }),
  'members of outputs of scopes': (s) =>
    newFlow({
      ...named(8, (index) => ({
        type: 'parallel',
        next: index === 7 ? 'z' : `k${index + 1}`,
        branches: named(
          50,
          (branch) => ({ start: `n${index}_${branch}`, nodes: { [`n${index}_${branch}`]: node({ a: 1 }) } }),
          'b',
        ),
      })),
      z: node(times(4_900 * s, (index) => `{{ [nodes.k${index % 8}.b${index % 50}.c, nodes.k0.x] }}`)),
    }),
  'assignments inside scopes': (s) =>
    newFlow({
      a: {
        type: 'parallel',
        branches: named(
          49,
          (branch) => ({
            start: `n${branch}_0`,
            nodes: named(
              9,
              (at) =>
                node(`{{ [${times(100 * s, (n) => `state.v${n}`).join()}] }}`, {
                  assign: named(100 * s, () => 1, 'v'),
                  ...(at < 8 && { next: `n${branch}_${at + 1}` }),
                }),
              `n${branch}_`,
            ),
          }),
          'b',
        ),
      },
    }),
  'assignments inside one scope': (s) =>
    newFlow({
      a: {
        ...{ type: 'map', items: [1] },
        body: { start: 'b', nodes: { b: node(1, { assign: named(140_000 * s, () => 1, 'v') }) } },
      },
    }),
  'headers with credentials': (s) =>
    newFlow(
      {
        a: {
          ...{ type: 'http', url: 'https://a.example/' },
          headers: named(52_000 * s, () => '0123456789ab', 'x-api-key-token'),
        },
      },
      { egress: ['a.example'] },
    ),
  'branches in branches': (s) =>
    newFlow(
      named(9, (index) => ({
        type: 'parallel',
        branches: named(
          50,
          (branch) => ({
            start: `n${index}_${branch}`,
            nodes: { [`n${index}_${branch}`]: node('{{ a }}'.repeat(500 * s)) },
          }),
          'b',
        ),
      })),
    ),
  artifacts: (s) =>
    newFlow({ a: { type: 'end', output: {}, artifacts: times(60_000 * s, () => ({ text: 'x' })) } }),
};
