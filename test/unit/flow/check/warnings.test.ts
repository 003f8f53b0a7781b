// What `checkFlow` finds worth a look in flows that it accepts, and where it says nothing. Values that cannot
// be there are in check.test.ts, pauses in check-scopes.test.ts, patterns of errors in
// check-error-patterns.test.ts.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { flowWarning } from '#lib/flow/check/warning.ts';
import { clock } from '#lib/run/compute/clock.ts';
import { http, llm, plain, valid, warned, warnings, with_, withNode } from './faulty-flows.ts';

const to = (...on: readonly string[]) => ({ on, next: 'b' });
const question = (parts: object) => plain(withNode({ type: 'ask', prompt: '?', next: 'b', ...parts }));
const choice = (...whens: readonly string[]) =>
  plain(
    withNode({
      type: 'switch',
      cases: whens.map((when) => ({ when: `{{ ${when} }}`, next: 'b' })),
      default: 'b',
    }),
  );
const turn = (next: string, otherwise: string) => ({
  type: 'switch',
  cases: [{ when: '{{ true }}', next }],
  default: otherwise,
});
const bearer = (...hosts: readonly string[]) => ({ type: 'http_bearer', hosts });
const step = (next?: string, more: object = {}) => ({
  type: 'transform',
  output: 1,
  ...(next && { next }),
  ...more,
});
const scoped = (nodes: object) =>
  plain(withNode({ type: 'parallel', branches: { one: { start: 'x', nodes } }, next: 'b' }));

const doubtful: readonly (readonly [string, object, readonly string[]])[] = [
  [
    'a case behind one that is always true',
    choice('run.turn = 1', 'true', 'input.message = ""'),
    ['case_never_chosen /nodes/a/cases/2'],
  ],
  [
    'a case with the condition of another',
    choice('input.message = "x"', 'run.turn > 1', 'input.message = "x"'),
    ['case_never_chosen /nodes/a/cases/2'],
  ],
  [
    'a default behind a case that is always true and leads elsewhere',
    plain(with_({ nodes: { a: turn('b', 'c'), b: step(), c: step() } })),
    ['case_never_chosen /nodes/a/default'],
  ],
  [
    'a loop whose only way out is never chosen',
    plain(with_({ nodes: { a: turn('a', 'c'), c: step() } })),
    ['loop_without_end /nodes/a', 'case_never_chosen /nodes/a/default'],
  ],

  [
    'a choice that the schema refuses',
    question({ choices: ['yes', 'maybe'], schema: { enum: ['yes', 'no'] } }),
    ['choice_never_fits /nodes/a/choices/1'],
  ],
  [
    'choices that are no numbers',
    question({ choices: ['1', '2'], schema: { type: 'integer' } }),
    ['choice_never_fits /nodes/a/choices/0', 'choice_never_fits /nodes/a/choices/1'],
  ],
  [
    'a choice that a pattern refuses',
    question({ choices: ['A1', 'b2'], schema: { pattern: '^[A-Z]' } }),
    ['choice_never_fits /nodes/a/choices/1'],
  ],

  ['an input that is a text', plain(with_({ input: { type: 'string' } })), ['schema_never_fits /input/type']],
  [
    'an input of other types',
    plain(with_({ input: { type: ['string', 'null'] } })),
    ['schema_never_fits /input/type'],
  ],
  ['an input that is one word', plain(with_({ input: { const: 'go' } })), ['schema_never_fits /input/const']],
  [
    'an output that is a list',
    plain(with_({ output: { type: 'array' } })),
    ['schema_never_fits /output/type'],
  ],
  [
    'an output that is one of some texts',
    plain(with_({ output: { enum: ['a', 'b'] } })),
    ['schema_never_fits /output/enum'],
  ],

  [
    'a loop that nothing leads out of',
    plain(with_({ nodes: { a: step('b'), b: step('c'), c: step('b') } })),
    ['loop_without_end /nodes/b'],
  ],
  ['a node that leads to itself', plain(with_({ nodes: { a: step('a') } })), ['loop_without_end /nodes/a']],
  [
    'a loop that an error leads back into',
    plain(with_({ nodes: { a: step('a', { catch: [to('*')] }), b: step('a') } })),
    ['loop_without_end /nodes/a'],
  ],
  [
    'two loops without an end, each',
    plain(
      with_({
        nodes: {
          a: { type: 'switch', cases: [{ when: '{{ state.x }}', next: 'b' }], default: 'c' },
          b: step('b'),
          c: step('c'),
        },
        state: { x: true },
      }),
    ),
    ['loop_without_end /nodes/b', 'loop_without_end /nodes/c'],
  ],
  [
    'a loop inside a branch',
    scoped({ x: step('y'), y: step('x') }),
    ['loop_without_end /nodes/a/branches/one/nodes/x'],
  ],

  [
    'a connection that no node uses',
    { ...plain(valid), connections: { crm: bearer('crm.example') } },
    ['never_used /connections/crm'],
  ],
  [
    'a model that no node asks',
    { ...llm({ model: 'fast' }), egress: undefined, models: { fast: {}, slow: {} } },
    ['never_used /models/slow'],
  ],
  [
    'a default that every node passes by',
    { ...llm({ model: 'fast' }), egress: undefined, models: { fast: {}, default: {} } },
    ['never_used /models/default'],
  ],
  [
    'hosts of a flow that sends no request',
    { ...valid, models: undefined, egress: ['a.example', 'b.example'] },
    ['never_used /egress/0', 'never_used /egress/1'],
  ],
];

const sure: readonly (readonly [string, object])[] = [
  ['a condition that only looks like always true', choice('true = state.x', 'true and state.x')],
  ['a last case that is always true', choice('input.message = ""', 'true')],
  [
    'a default that leads where the case before it always goes',
    plain(with_({ nodes: { a: step('b'), b: turn('c', 'c'), c: step() } })),
  ],
  ['choices that fit', question({ choices: ['yes', 'no'], schema: { type: 'string', maxLength: 3 } })],
  ['choices that a run fills in', question({ choices: ['{{ input.message }}'], schema: { maxLength: 3 } })],
  [
    'choices that a run finds',
    question({ choices: '{{ input.user_variables.list }}', schema: { type: 'integer' } }),
  ],
  ['choices under a schema that never ends', question({ choices: ['x'], schema: { $ref: '#' } })],
  ['schemas of objects', plain(with_({ input: { type: 'object' }, output: { type: ['object', 'null'] } }))],
  ['a schema that says no type', plain(with_({ input: { required: ['id'] }, output: { enum: [{}, 'x'] } }))],
  [
    'a loop with a way out',
    plain(
      with_({
        nodes: {
          a: step('b'),
          b: { type: 'switch', cases: [{ when: '{{ input.message = "" }}', next: 'a' }], default: 'c' },
          c: step(),
        },
      }),
    ),
  ],
  [
    'a loop that a failure of a node leads back into',
    plain(with_({ nodes: { a: step(undefined, { catch: [{ on: ['timeout'], next: 'a' }] }) } })),
  ],
  [
    'a loop that ends when nobody answers',
    plain(
      with_({
        nodes: { a: { type: 'ask', prompt: '?', timeout_seconds: 9, on_timeout: 'b', next: 'a' }, b: step() },
      }),
    ),
  ],
  [
    'a connection of a node',
    { ...http({ connection: 'crm' }), models: undefined, connections: { crm: bearer('api.example.com') } },
  ],
  [
    'a connection of a tool of an agent inside an agent',
    {
      ...plain(
        withNode({
          type: 'agent',
          instructions: 'x',
          agents: [
            {
              name: 'child',
              description: 'x',
              instructions: 'x',
              tools: [{ mcp: 'https://kb.example/mcp', connection: 'kb' }],
            },
          ],
          next: 'b',
        }),
      ),
      egress: ['kb.example'],
      connections: { kb: bearer('kb.example') },
    },
  ],
  [
    'the default, and what may answer in its place',
    { ...llm({}), egress: undefined, models: { default: { fallback: 'cheap' }, cheap: {} } },
  ],
  [
    'the model of an agent inside an agent',
    {
      ...plain(
        withNode({
          type: 'agent',
          instructions: 'x',
          agents: [{ name: 'child', description: 'x', instructions: 'x', model: 'fast' }],
          next: 'b',
        }),
      ),
      models: { fast: {} },
    },
  ],
  [
    'a host that a redirect may lead to',
    { ...http({}), models: undefined, egress: ['api.example.com', 'files.example.com'] },
  ],
];

describe('a flow is accepted with a warning', () => {
  test.each(doubtful)('for %s', (_what, flow, expected) => {
    expect(warned(flow)).toEqual(expected);
  });
});

describe('nothing is said about', () => {
  test.each(sure)('%s', (_what, flow) => {
    expect(warned({ state: { x: true }, ...flow })).toEqual([]);
  });
});

test('a flow that is made to take long is checked as quickly', () => {
  const catches = Array.from({ length: 30_000 }, (_, index) => ({ on: [`x.y${index}`], next: 'b' }));
  const twice = { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }], const: 1 };
  const asked = {
    type: 'ask',
    prompt: '?',
    choices: Array.from({ length: 100 }, (_, index) => `${index}`),
    schema: { $ref: '#/$defs/a', $defs: { a: twice } },
    catch: catches,
    next: 'b',
  };
  const began = clock.cpuMs();
  expect(warnings(plain(withNode(asked)))).toHaveLength(100);
  expect(clock.cpuMs() - began).toBeLessThan(2_000);
});

test('the documentation explains each kind of warning', () => {
  const page = readFileSync(new URL('../../../../docs/flows.md', import.meta.url), 'utf8');
  const section = page.split('\n## Warnings\n')[1]?.split('\n## ')[0] ?? '';
  const explained = [...section.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, code]) => code);
  expect(explained).toEqual(flowWarning.shape.code.options);
});
