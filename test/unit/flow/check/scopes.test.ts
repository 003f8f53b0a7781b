// What `checkFlow` says about nodes inside nodes, and about the types that have them or pause.
import { describe, expect, test } from 'vitest';
import { checkFlow } from '#lib/flow/check/check-flow.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { mistakes, pauses, plain, transform, valid, with_, withNode } from './faulty-flows.ts';

const set = (output: unknown, more: object = {}) => ({ type: 'transform', output, ...more });
const fan = (branches: object, more: object = {}) =>
  withNode({ type: 'parallel', branches, next: 'b', ...more });
const each = (nodes: object, more: object = {}) =>
  withNode({ type: 'map', items: [1], body: { start: Object.keys(nodes)[0], nodes }, next: 'b', ...more });
const ask = (more: object = {}) => withNode({ type: 'ask', prompt: '?', next: 'b', ...more });
const wait = (more: object = {}) => withNode({ type: 'wait', next: 'b', ...more });
const inBranch = (nodes: object, start = 'x') => fan({ one: { start, nodes } });

/** So many levels of nodes inside the node `a`. */
function nested(levels: number): object {
  let node: object = set(1);
  for (let level = levels; level > 0; level--)
    node = { type: 'parallel', branches: { one: { start: `n${level}`, nodes: { [`n${level}`]: node } } } };
  return withNode({ ...node, next: 'b' });
}

const table: readonly (readonly [string, unknown, string, string])[] = [
  ['no branch', fan({}), '/nodes/a/branches', '1 to 50 branches'],
  [
    'a bad name of a branch',
    fan({ 'A-1': { start: 'x', nodes: { x: set(1) } } }),
    '/nodes/a/branches/A-1',
    'lower-case letter',
  ],
  [
    'an unknown join',
    fan({ one: { start: 'x', nodes: { x: set(1) } } }, { join: 'any' }),
    '/nodes/a/join',
    'settled',
  ],
  ['a branch without nodes', inBranch({}), '/nodes/a/branches/one/nodes', 'at least one node'],
  [
    'a start that is in another scope',
    inBranch({ x: set(1) }, 'b'),
    '/nodes/a/branches/one/start',
    '"b" belongs to another scope: expected one of x',
  ],
  [
    'an inner node of an unknown type',
    inBranch({ x: { type: 'script' } }),
    '/nodes/a/branches/one/nodes/x/type',
    'unknown node type "script"',
  ],
  [
    'an unknown field inside',
    inBranch({ x: set(1, { outputs: 1 }) }),
    '/nodes/a/branches/one/nodes/x/outputs',
    'unknown field',
  ],
  [
    'an inner way out of the scope',
    inBranch({ x: set(1, { next: 'b' }) }),
    '/nodes/a/branches/one/nodes/x/next',
    '"b" belongs to another scope',
  ],
  [
    'an outer way into a scope',
    withNode({ ...set(1), next: 'x', catch: [{ on: ['*'], next: 'fan' }] }),
    '/nodes/a/next',
    'unknown node "x"',
  ],
  [
    'an unreachable inner node',
    inBranch({ x: set(1), y: set(2) }),
    '/nodes/a/branches/one/nodes/y',
    'unreachable: expected a path from "x"',
  ],
  [
    'an end inside',
    inBranch({ x: { type: 'end', output: {} } }),
    '/nodes/a/branches/one/nodes/x/type',
    'cannot be inside another node',
  ],
  ['an id used twice', inBranch({ b: set(1) }, 'b'), '/nodes/b', '/nodes/a/branches/one/nodes/b has it too'],
  [
    'an inner node read from outside',
    {
      ...inBranch({ x: set(1) }),
      nodes: { ...inBranch({ x: set(1) }).nodes, b: { type: 'end', output: { x: '{{ nodes.x }}' } } },
    },
    '/nodes/b/output/x',
    'nodes.x is not visible here',
  ],
  [
    'a node of another branch',
    fan({
      one: { start: 'x', nodes: { x: set(1) } },
      two: { start: 'y', nodes: { y: set('{{ $string(nodes.x) }}') } },
    }),
    '/nodes/a/branches/two/nodes/y/output',
    'nodes.x is not visible here',
  ],
  [
    'too many levels',
    nested(limits.nestingMax + 1),
    `/nodes/a${[1, 2, 3, 4, 5].map((level) => `/branches/one/nodes/n${level}`).join('')}/branches/one`,
    'at most 5 levels',
  ],
  ['item outside a map', transform({ output: '{{ item }}' }), '/nodes/a/output', 'unknown name "item"'],
  [
    'items that are text',
    each({ x: set(1) }, { items: 'x {{ state.y }}' }),
    '/nodes/a/items',
    'one expression',
  ],
  [
    'too many at once',
    each({ x: set(1) }, { max_concurrency: 51 }),
    '/nodes/a/max_concurrency',
    'must be at most 50',
  ],
  [
    'a mistake in a map',
    each({ x: set('{{ nodes.z }}') }),
    '/nodes/a/body/nodes/x/output',
    'unknown node "z"',
  ],
  [
    'a question with a bad schema',
    ask({ schema: { type: 'text' } }),
    '/nodes/a/schema/type',
    'expected one of',
  ],
  ['choices that are text', ask({ choices: 'red' }), '/nodes/a/choices', 'one expression'],
  ['a way for no timeout', ask({ on_timeout: 'b' }), '/nodes/a/on_timeout', '`timeout_seconds`'],
  [
    'an unknown way after a timeout',
    ask({ timeout_seconds: 5, on_timeout: 'z' }),
    '/nodes/a/on_timeout',
    'unknown node "z"',
  ],
  [
    'a question that is tried again',
    ask({ retry: { max_attempts: 2, delay_ms: 1, on: ['*'] } }),
    '/nodes/a/retry',
    'unknown field',
  ],
  ['an answer in the prompt', ask({ prompt: '{{ answer }}' }), '/nodes/a/prompt', 'unknown name "answer"'],
  ['a wait for nothing', wait(), '/nodes/a', 'exactly one of `seconds`, `until` and `event`'],
  [
    'a wait for two things',
    wait({ seconds: 1, until: '2027-01-01T00:00:00Z' }),
    '/nodes/a',
    'exactly one of `seconds`, `until` and `event`',
  ],
  ['a wait of text', wait({ seconds: '5' }), '/nodes/a/seconds', 'expected a number'],
  ['a wait until no time', wait({ until: 'tomorrow' }), '/nodes/a/until', '2027-01-31T09:00:00Z'],
  [
    'a file that is nowhere',
    withNode({ type: 'reply', file: { filename: 'a.txt' }, next: 'b' }),
    '/nodes/a/file',
    '`raw` (base64), `url` or `file`',
  ],
  [
    'a flag that is text',
    withNode({ type: 'reply', text: 'x', artifact: { artifact_id: 'a', append: 'yes' }, next: 'b' }),
    '/nodes/a/artifact/append',
    'true, false',
  ],
  [
    'an empty artifact',
    with_({ nodes: { ...valid.nodes, b: { type: 'end', output: {}, artifacts: [{ name: 'x' }] } } }),
    '/nodes/b/artifacts/0',
    '`text`, `data` or `file`',
  ],
  [
    'artifacts of a message',
    with_({
      nodes: { ...valid.nodes, b: { type: 'end', output: {}, as: 'message', artifacts: [{ text: 'x' }] } },
    }),
    '/nodes/b/artifacts',
    'only a task has them',
  ],
  [
    'an unknown way to answer',
    with_({ nodes: { ...valid.nodes, b: { type: 'end', output: {}, as: 'done' } } }),
    '/nodes/b/as',
    'rejected',
  ],
];

test.each(table)('a flow is refused for %s', (_name, flow, pointer, detail) => {
  expect(mistakes(flow)).toContainEqual({ pointer, detail: expect.stringContaining(detail) });
});

test('an id that two scopes have is one mistake, whatever leads to its node or reads it', () => {
  const nodes = { h: set(1, { next: 'k' }) };
  const y = {
    ...nodes,
    k: set('{{ nodes.h }}'),
    l: set(1, { next: 'h', catch: [{ on: ['*'], next: 'k' }] }),
  };
  const flow = fan({
    x: { start: 'h', nodes: { h: set(1, { next: 'm' }), m: set(1) } },
    y: { start: 'h', nodes: y },
    z: { start: 'h', nodes },
  });
  expect(mistakes(flow).map(({ pointer }) => pointer)).toEqual([
    '/nodes/a/branches/y/nodes/h',
    '/nodes/a/branches/z/nodes/h',
  ]);
});

test('an edge that leads nowhere is reported with all ids of its scope, including those that another scope has too', () => {
  const flow = fan({ x: { start: 'h', nodes: { h: set(1) } }, y: { start: 'k', nodes: { h: set(1) } } });
  const detail = 'unknown node "k": expected one of h';
  expect(mistakes(flow)).toContainEqual({ pointer: '/nodes/a/branches/y/start', detail });
});

test('a scope without nodes has no other mistake', () => {
  expect(mistakes(inBranch({}))).toHaveLength(1);
});

const accepted: readonly (readonly [string, unknown])[] = [
  ['five levels of nodes inside nodes', nested(limits.nestingMax)],
  [
    'an inner scope that reads what is around it',
    inBranch({ x: set('{{ state.y }} {{ input.message }}', { assign: { y: 1 } }) }),
  ],
  [
    'item and index in a map, also further inside',
    each({
      x: { type: 'parallel', branches: { one: { start: 'y', nodes: { y: set('{{ item }} {{ index }}') } } } },
    }),
  ],
  ['a scope that ends anywhere in a flow with an end', inBranch({ x: set(1, { next: 'y' }), y: set(2) })],
  ['the answer in the assign of an ask', ask({ assign: { y: '{{ answer }}' } })],
  ['a wait until a time with an offset', wait({ until: '2027-01-31T09:00:00+01:00' })],
];

test.each(accepted)('a flow is accepted with %s', (_name, flow) => {
  expect(mistakes(flow)).toEqual([]);
});

describe('warnings', () => {
  const warningsOf = (flow: unknown) => {
    const checked = checkFlow(flow);
    return checked.ok ? checked.warnings.map(({ pointer }) => pointer) : checked.errors;
  };

  test('a node before the container has a value inside, one behind it has none', () => {
    const nodes = {
      first: set(1, { next: 'a' }),
      a: {
        type: 'parallel',
        branches: {
          one: {
            start: 'x',
            nodes: { x: set('{{ nodes.first }}', { next: 'y' }), y: set('{{ nodes.x }} {{ nodes.b }}') },
          },
        },
        next: 'b',
      },
      b: { type: 'end', output: { a: '{{ nodes.a }}' } },
    };
    expect(warningsOf(plain(with_({ start: 'first', nodes })))).toEqual([
      '/nodes/a/branches/one/nodes/y/output',
    ]);
  });

  test.each([
    [ask(), ['/nodes/a']],
    [wait({ seconds: 5 }), ['/nodes/a']],
    [inBranch({ x: { type: 'ask', prompt: '?' } }), ['/nodes/a/branches/one/nodes/x']],
    [valid, []],
  ])('a flow tells where its runs may pause', (flow, places) => {
    expect(pauses(flow)).toEqual(places);
  });
});
