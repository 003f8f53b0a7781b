// What `checkFlow` says about a flow as a whole; the fields of each node type are in check-nodes.test.ts.
import { describe, expect, test } from 'vitest';
import { checkFlow } from '#lib/flow/check/check-flow.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { http, mistakes, plain, transform, valid, warnings, with_, withNode } from './faulty-flows.ts';

const manyModels = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`m${n}`, {}]));
const table: readonly (readonly [string, unknown, string, string])[] = [
  ['no object', [], '', 'a JSON object'],
  ['another version', with_({ version: 2 }), '/version', 'must be 1'],
  ['no name', with_({ name: undefined }), '/name', 'required'],
  [
    'an unknown top-level field',
    with_({ colour: 'red' }),
    '/colour',
    'unknown field: expected one of version, name',
  ],
  ['a field with a slash in its name', with_({ 'a/b~c': 1 }), '/a~1b~0c', 'unknown field'],
  ['no nodes', with_({ nodes: {} }), '/nodes', 'at least one node'],
  ['nodes as a list', with_({ nodes: [] }), '/nodes', 'at least one node'],
  ['a start that is none', with_({ start: 'z' }), '/start', 'unknown node "z": expected one of a, b'],
  [
    'a bad node id',
    with_({ nodes: { ...valid.nodes, 'B-1': valid.nodes.b } }),
    '/nodes/B-1',
    'lower-case letter',
  ],
  ['a node that is no object', withNode([]), '/nodes/a', 'expected a node'],
  ['no type', withNode({ next: 'b' }), '/nodes/a/type', 'expected one of llm, agent'],
  ['an unknown type', withNode({ type: 'script' }), '/nodes/a/type', 'unknown node type "script"'],
  [
    'a type called like an inherited function',
    withNode({ type: 'toString' }),
    '/nodes/a/type',
    'unknown node type',
  ],
  [
    'an unknown field of a node',
    transform({ outputs: 1 }),
    '/nodes/a/outputs',
    'unknown field: did you mean "output"? Expected one of type, title',
  ],
  ['a missing field', withNode({ type: 'transform', next: 'b' }), '/nodes/a/output', 'expected a JSON value'],
  ['an unknown next', transform({ next: 'c' }), '/nodes/a/next', 'unknown node "c"'],
  [
    'a wrong shape beside an unknown next',
    transform({ next: 'c', title: 1 }),
    '/nodes/a/next',
    'unknown node "c"',
  ],
  [
    'an unknown catch target',
    transform({ catch: [{ on: ['*'], next: 'c' }] }),
    '/nodes/a/catch/0/next',
    'unknown node "c"',
  ],
  [
    'no next in a flow with an end',
    withNode({ type: 'transform', output: 1 }),
    '/nodes/a',
    'expected `next`',
  ],
  ['an unreachable node', with_({ nodes: { ...valid.nodes, c: valid.nodes.b } }), '/nodes/c', 'unreachable'],
  [
    'a pattern that is no code',
    transform({ retry: { max_attempts: 2, delay_ms: 1, on: ['HTTP 5xx'] } }),
    '/nodes/a/retry/on/0',
    'http.5xx',
  ],
  [
    'one attempt as a retry',
    transform({ retry: { max_attempts: 1, delay_ms: 1, on: ['*'] } }),
    '/nodes/a/retry/max_attempts',
    'must be at least 2',
  ],
  [
    'an unknown field of retry',
    transform({ retry: { max_attempts: 2, delay_ms: 1, on: ['*'], jitter: 1 } }),
    '/nodes/a/retry/jitter',
    'unknown field',
  ],
  ['a time limit of nothing', transform({ timeout_seconds: 0 }), '/nodes/a/timeout_seconds', 'above 0'],
  ['a bad name of a variable', transform({ assign: { 'a b': 1 } }), '/nodes/a/assign/a b', 'expected a name'],
  // around the nodes
  [
    'an egress entry that is a URL',
    with_({ egress: ['https://api.example.com'] }),
    '/egress/0',
    'expected a host',
  ],
  ['an egress entry that is everything', with_({ egress: ['*'] }), '/egress/0', 'expected a host'],
  [
    'a seed of a Bedrock model',
    with_({ models: { fast: { provider: 'bedrock', model: 'x', seed: 1 } } }),
    '/models/fast/seed',
    'models of bedrock take none',
  ],
  [
    'a seed in a node of a Bedrock model',
    with_({
      models: { fast: { provider: 'bedrock', model: 'x' } },
      nodes: { ...valid.nodes, a: { type: 'llm', prompt: 'x', model: 'fast', seed: 1, next: 'b' } },
    }),
    '/nodes/a/seed',
    'models of bedrock take none',
  ],
  [
    'an unknown fallback',
    with_({ models: { fast: { fallback: 'z' } } }),
    '/models/fast/fallback',
    'unknown model "z"',
  ],
  [
    'a provider without a model',
    with_({ models: { fast: { provider: 'bedrock' } } }),
    '/models/fast',
    'expected `model`',
  ],
  ['too many models', with_({ models: manyModels }), '/models', 'at most 100 models, got 101'],
  ['a limit above the bound', with_({ limits: { max_steps: 100_000 } }), '/limits/max_steps', 'most 50000'],
  [
    'an input schema with look-behind',
    with_({ input: { properties: { x: { pattern: '(?<=a)b' } } } }),
    '/input/properties/x/pattern',
    'not available',
  ],
  [
    'an output schema with an outside reference',
    with_({ output: { $ref: 'https://x.example/y' } }),
    '/output/$ref',
    '#/$defs/',
  ],
  [
    'a connection without hosts',
    with_({ connections: { crm: { type: 'http_bearer' } } }),
    '/connections/crm/hosts',
    'required',
  ],
  [
    'a role of AWS for no service',
    with_({ connections: { search: { type: 'aws_sigv4', hosts: ['s3.eu-central-1.amazonaws.com'] } } }),
    '/connections/search/aws',
    'expected `aws` together with the type `aws_sigv4`',
  ],
  [
    'services of AWS for a token',
    with_({
      connections: {
        crm: {
          type: 'http_bearer',
          hosts: ['crm.example'],
          aws: { services: ['s3'], regions: ['eu-central-1'] },
        },
      },
    }),
    '/connections/crm/aws',
    'expected `aws` only together with',
  ],
  [
    'connections at more length than a run can tell',
    with_({
      connections: Object.fromEntries(
        Array.from({ length: 1_000 }, (_, n) => [
          `c${n}`,
          { type: 'http_bearer', hosts: [`host-${n}.subdomain.example.com`] },
        ]),
      ),
    }),
    '/connections',
    `${limits.connectionsBytes} bytes`,
  ],
  [
    'a test that mocks an unknown node',
    with_({ tests: [{ input: {}, mocks: { z: 1 }, expect: 'true' }] }),
    '/tests/0/mocks/z',
    'no node "z"',
  ],
  [
    'a test whose expectation does not parse',
    with_({ tests: [{ input: {}, expect: '1 +' }] }),
    '/tests/0/expect',
    'expected a value at the end',
  ],
  // hostile keys
  ['a prototype at the top', JSON.parse('{"__proto__":{"x":1}}'), '/__proto__', 'not allowed'],
  [
    'a prototype in an output',
    transform({ output: JSON.parse('{"a":[{"__proto__":1}]}') }),
    '/nodes/a/output/a/0/__proto__',
    'not allowed',
  ],
  ['a constructor in ui', transform({ ui: { constructor: 1 } }), '/nodes/a/ui/constructor', 'not allowed'],
  [
    'a node called constructor',
    with_({ nodes: { ...valid.nodes, constructor: valid.nodes.b } }),
    '/nodes/constructor',
    'not allowed',
  ],
  ['a function', transform({ output: () => 1 }), '/nodes/a/output', 'expected a JSON value'],
];

describe('a flow is refused', () => {
  test.each(table)('for %s', (_name, flow, pointer, detail) => {
    expect(mistakes(flow)).toContainEqual({ pointer, detail: expect.stringContaining(detail) });
  });

  test('with every mistake at once', () => {
    const flow = with_({
      name: '',
      start: 'z',
      nodes: {
        a: {
          type: 'http',
          url: 'https://evil.example/',
          method: 'GO',
          next: 'c',
          catch: [{ on: [], next: 'd' }],
        },
        b: { type: 'script' },
        c: { type: 'transform', output: '{{ nodes.q }} {{ $eval(1) }}', next: 'a' },
      },
    });
    expect(
      mistakes(flow)
        .map(({ pointer }) => pointer)
        .sort(),
    ).toEqual(
      [
        '/name',
        '/nodes/a/catch/0/next',
        '/nodes/a/catch/0/on',
        '/nodes/a/method',
        '/nodes/b/type',
        '/nodes/c/output',
        '/nodes/c/output',
        '/start',
      ].sort(),
    );
  });

  test('with one mistake where there is one', () => {
    for (const [, flow] of table.filter(([name]) => name.startsWith('an unknown')))
      expect(mistakes(flow)).toHaveLength(1);
  });

  test('for depth, without a stack overflow', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    const [mistake] = mistakes(transform({ output: deep }));
    expect(mistake?.pointer).toMatch(/^\/nodes\/a\/output(\/0)+$/);
    expect(mistake?.detail).toBe(`expected at most ${limits.flowDepth} levels`);
  });

  test('for containing itself', () => {
    const ui: Record<string, unknown> = {};
    ui.self = ui;
    expect(mistakes(transform({ ui }))[0]?.detail).toContain('levels');
  });

  test('for its size', () => {
    const nodes = { ...valid.nodes, a: { ...valid.nodes.a, output: 'x'.repeat(limits.flowBytes) } };
    expect(mistakes(with_({ nodes }))).toEqual([{ pointer: '', detail: expect.stringContaining('bytes') }]);
  });

  test('for too many nodes', () => {
    const nodes = Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`n${index}`, valid.nodes.b]));
    expect(mistakes(with_({ nodes }))).toContainEqual({
      pointer: '/nodes',
      detail: 'expected at most 500 nodes, got more',
    });
  });

  test('with the first twenty mistakes, and their number', () => {
    const flow = with_(Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`x${index}`, 1])));
    expect(checkFlow(flow)).toMatchObject({ ok: false, errors: { length: 20 }, total: 500 });
  });

  test.each([
    ['have an unknown type', { type: 'nope' }, 100],
    ['have two unknown fields', { type: 'end', output: {}, x: 1, y: 2 }, 200],
    ['lead to no node', { type: 'transform', output: 1, next: 'nowhere' }, 100],
  ])('with the number of its mistakes where a hundred nodes %s', (_what, node, total) => {
    const nodes = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`n${index}`, node]));
    expect(checkFlow(with_({ nodes, start: 'n0' }))).toMatchObject({
      ok: false,
      errors: { length: 20 },
      total,
    });
  });

  test('with the number of its wrong expressions', () => {
    const output = Array.from({ length: 100 }, () => '{{ unknown }}');
    const flow = with_({ nodes: { a: { type: 'transform', output } }, start: 'a' });
    expect(checkFlow(flow)).toMatchObject({ ok: false, errors: { length: 20 }, total: 100 });
  });

  test('with the number of its wrong mocks', () => {
    const mocks = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`x${index}`, 1]));
    const flow = with_({ tests: [{ input: {}, expect: '{{ true }}', mocks }] });
    expect(checkFlow(flow)).toMatchObject({ ok: false, errors: { length: 20 }, total: 100 });
  });
});

describe('a flow is accepted', () => {
  const accepted: readonly (readonly [string, unknown])[] = [
    ['that is small and valid', valid],
    [
      'without an end, whose ways then stop anywhere',
      with_({ nodes: { a: { type: 'transform', output: 1 } } }),
    ],
    [
      'with a template in path and query',
      http({ url: 'https://api.example.com/{{ state.x }}/y?z={{ state.z }}' }),
    ],
    ['with a query right after the host', http({ url: 'https://api.example.com?z={{ state.z }}' })],
    ['with a port that egress leaves open', http({ url: 'https://api.example.com:8443/' })],
    ['with plain http to loopback', { ...http({ url: 'http://127.0.0.1:4010/' }), egress: ['127.0.0.1'] }],
    [
      'with a sub-domain that egress lists',
      { ...http({ url: 'https://eu.api.example.com/' }), egress: ['*.api.example.com'] },
    ],
    [
      'with connections and tests',
      with_({
        connections: { crm: { type: 'http_bearer', hosts: ['api.example.com'] } },
        tests: [{ input: { message: 'x' }, mocks: { a: 1 }, expect: 'true' }],
      }),
    ],
    [
      'with a loop',
      with_({
        nodes: {
          a: { type: 'switch', cases: [{ when: '{{ false }}', next: 'a' }], default: 'b', max_visits: 3 },
          b: valid.nodes.b,
        },
      }),
    ],
    ['with anything in ui', transform({ ui: { x: [1, { y: '{{ not an expression' }] } })],
  ];

  test.each(accepted)('%s', (_name, flow) => {
    expect(mistakes(flow)).toEqual([]);
  });

  test.each([
    ['own output', { type: 'transform', output: '{{ nodes.a }}' }, '/nodes/a/output'],
    [
      'own error',
      { type: 'llm', prompt: '{{ nodes.a.error.code }}', catch: [{ on: ['*'], next: 'b' }] },
      '/nodes/a/prompt',
    ],
    [
      'output of the map around it',
      {
        ...{ type: 'map', items: [1], assign: { y: '{{ nodes.a }}' } },
        body: { start: 'x', nodes: { x: { type: 'transform', output: '{{ nodes.a }}' } } },
      },
      '/nodes/a/body/nodes/x/output',
    ],
  ])('with a warning for a node that reads its %s before its end', (_what, node, pointer) => {
    expect(warnings(plain(withNode({ ...node, next: 'b' })))).toEqual([
      { pointer, code: 'node_without_value', detail: expect.stringContaining('from "a" back to it') },
    ]);
  });

  test('without a warning for a node in a loop that reads its own output', () => {
    const node = {
      type: 'transform',
      output: '{{ nodes.a + 1 }}',
      max_visits: 3,
      on_max_visits: 'b',
      next: 'a',
    };
    expect(warnings(plain(withNode({ ...node, assign: { x: '{{ nodes.a }}' } })))).toEqual([]);
  });

  test('with a warning for a value that cannot be there yet', () => {
    expect(warnings(plain(transform({ output: '{{ nodes.b }} {{ state.never }}' })))).toEqual([
      {
        pointer: '/nodes/a/output',
        code: 'node_without_value',
        detail: expect.stringContaining('nodes.b has'),
      },
      {
        pointer: '/nodes/a/output',
        code: 'state_without_value',
        detail: expect.stringContaining('state.never'),
      },
    ]);
  });
});
