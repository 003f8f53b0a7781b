// Which flows only compute, so that a run of them may be stored with its end.
import { expect, test } from 'vitest';
import { compileFlow } from '#lib/flow/definition/compile.ts';
import { nodeTypes } from '#lib/flow/definition/node-types.ts';
import { checkedFlow } from '../scripted.ts';

const done = { type: 'end', output: {} };
const compute = { type: 'transform', output: 1 };
const fetching = { type: 'http', url: 'https://example.com' };
const mapping = (node: object) => ({
  type: 'map',
  items: [1],
  body: { start: 'each', nodes: { each: node } },
});
const branching = (node: object) => ({
  type: 'parallel',
  branches: { one: { start: 'a', nodes: { a: node } } },
});

const onlyComputes = (node: object) =>
  compileFlow(checkedFlow({ first: { ...node, next: 'done' }, done }, { egress: ['example.com'] }))
    .onlyComputes;

test.each([
  ['a transform', compute],
  ['a reply', { type: 'reply', text: 'Hello.' }],
  ['a map of such nodes', mapping(compute)],
  ['branches of such nodes', branching(mapping(compute))],
])('%s', (_, node) => {
  expect(onlyComputes(node)).toBe(true);
});

test.each([
  ['a request', fetching],
  ['a stored value', { type: 'store', get: 'key' }],
  ['a wait', { type: 'wait', seconds: 1 }],
  ['a map of requests', mapping(fetching)],
  ['a request in a map in a branch', branching(mapping(fetching))],
])('not %s', (_, node) => {
  expect(onlyComputes(node)).toBe(false);
});

test('a type of nodes says so itself, and one that reaches anything does not', () => {
  const names = Object.entries(nodeTypes).flatMap(([name, type]) => ('onlyComputes' in type ? [name] : []));
  expect(names).toEqual(['transform', 'switch', 'parallel', 'map', 'reply', 'fail', 'end']);
});
