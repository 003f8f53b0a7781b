// The examples of docs/flows.md: what a reader copies from there is a flow, or a part of one, that the check
// accepts.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { nodeTypes } from '#lib/flow/definition/node-types.ts';
import { doubts } from './check/faulty-flows.ts';

const page = readFileSync(new URL('../../../docs/flows.md', import.meta.url), 'utf8');

/** The first example under the heading of that node type. */
function exampleOf(type: string): Record<string, { type: string }> {
  const section = page.split(`\n### \`${type}\`\n`)[1]?.split(/\n##+ /)[0] ?? '';
  return JSON.parse(/```json\n(.*?)```/s.exec(section)?.[1] ?? '{}');
}

/** The declarations are for all examples, and each needs only some. */
const partDoubts = (flow: object) =>
  doubts({ ...parts, ...flow }).filter((doubt) => !('code' in doubt && doubt.code === 'never_used'));

const parts = {
  version: 1,
  name: 'Example',
  egress: ['api.shop.example', 'files.shop.example', 'kb.shop.example', 'agents.carrier.example'],
  connections: { kb: { type: 'http_bearer', hosts: ['kb.shop.example'] } },
  state: { csv: '', page: 1, isLast: false },
};

describe('the example of', () => {
  test.each(Object.keys(nodeTypes))('%s is a part of a flow', (type) => {
    const nodes = exampleOf(type);
    const [start = ''] = Object.keys(nodes);
    expect(nodes[start]?.type).toBe(type);
    expect(partDoubts({ start, nodes })).toEqual([]);
  });
});

test('the small flow is a flow', () => {
  const small = page.split('\n## A small flow\n')[1] ?? '';
  expect(doubts(JSON.parse(/```json\n(.*?)```/s.exec(small)?.[1] ?? ''))).toEqual([]);
});
