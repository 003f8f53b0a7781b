// The pages of node types, and their examples: what a reader copies from there is a flow, or a part of one,
// that the check accepts.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { nodeTypes } from '#lib/flow/definition/node-types.ts';
import { isKnownPattern } from '#lib/flow/format/error-codes.ts';
import { everyNode, labels, onward } from '#lib/flow/format/node-fields.ts';
import { publishedSchema } from '#lib/flow/published/flow-schema.ts';
import { doubts } from './check/faulty-flows.ts';

const published = z
  .object({
    $defs: z.record(z.string(), z.looseObject({ properties: z.record(z.string(), z.unknown()).optional() })),
  })
  .parse(publishedSchema());
const read = (path: string) => readFileSync(new URL(`../../../docs/${path}`, import.meta.url), 'utf8');
const pageOf = (type: string) => read(`flows/${type}.md`);

function exampleOf(type: string): Record<string, { type: string }> {
  const example = pageOf(type).split('\n## Example\n')[1] ?? '';
  return JSON.parse(/```json\n(.*?)```/s.exec(example)?.[1] ?? '{}');
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

describe('the page of', () => {
  const shared = Object.keys({ type: '', ...labels(), ...everyNode(), ...onward() });

  test.each(Object.keys(nodeTypes))('%s names its fields', (type) => {
    const definition = published.$defs[`${type}_node`];
    const own = Object.keys(definition?.properties ?? {}).filter((name) => !shared.includes(name));
    expect(own).not.toEqual([]);
    const fields = pageOf(type).split('\n## Errors\n')[0] ?? '';
    expect(own.filter((name) => !fields.includes(`\`${name}\``))).toEqual([]);
  });

  test.each(Object.keys(nodeTypes))('%s lists errors that exist', (type) => {
    const table = pageOf(type).split('\n## Errors\n')[1] ?? '';
    const codes = [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replace('<status>', '404')),
    );
    const isListed = (code: string) => isKnownPattern(code) || code === 'limit.visits';
    expect(codes.filter((code) => !isListed(code))).toEqual([]);
    expect(codes.length > 0 || type === 'fail').toBe(true);
  });

  test('each node type is linked in the table of contents', () => {
    const linked = [...read('flows.md').matchAll(/^\| \[`(\w+)`\]\(flows\/(\w+)\.md\) \|/gm)];
    expect(linked.map(([, name]) => name)).toEqual(linked.map(([, , file]) => file));
    expect(linked.map(([, name]) => name).sort()).toEqual(Object.keys(nodeTypes).sort());
  });
});

test('the small flow is a flow', () => {
  const small = read('flows.md').split('\n## A small flow\n')[1] ?? '';
  expect(doubts(JSON.parse(/```json\n(.*?)```/s.exec(small)?.[1] ?? ''))).toEqual([]);
});
