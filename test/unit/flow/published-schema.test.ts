// The JSON Schema of the format, as editors use it, checked by a validator that is not ours.
import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { checkFlow } from '#lib/flow/check.ts';
import { isObject } from '#lib/flow/json-value.ts';
import { nodeTypes } from '#lib/flow/nodes/index.ts';
import { publishedSchema, publishedSchemaId } from '#lib/flow/published-schema.ts';

const validator = new Ajv2020({ strict: false, validateFormats: false, schemas: [publishedSchema()] });
const validate = (pointer: string, value: unknown): boolean | string => {
  const check = validator.getSchema(`${publishedSchemaId}${pointer}`);
  if (!check) throw new Error(`There is no schema at ${pointer}.`);
  return check(value) === true || validator.errorsText(check.errors);
};

const text = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const samples = readdirSync(new URL('../../../events/flows', import.meta.url));

/** Those that are JSON objects: some only show a part. */
const examples = [...text('docs/flows.md').matchAll(/```json\n(.*?)```/gs)].flatMap(([, code = '']) => {
  try {
    const value: unknown = JSON.parse(code);
    return typeof value === 'object' && value !== null ? [value] : [];
  } catch {
    return [];
  }
});
const exampleFlows = examples.filter((value) => 'version' in value);
const exampleTests = examples.flatMap((value) =>
  'tests' in value && !('version' in value) ? [value.tests] : [],
);
const exampleNodes = examples.flatMap((value) =>
  Object.values(value).filter((node) => isObject(node) && String(node.type) in nodeTypes),
);

describe('the published schema', () => {
  test.each(samples)('takes the sample flow %s', (name) => {
    expect(validate('', JSON.parse(text(`events/flows/${name}`)))).toBe(true);
  });

  test('takes every example of the documentation', () => {
    expect(exampleFlows.length).toBeGreaterThan(0);
    for (const flow of exampleFlows) expect(validate('', flow), JSON.stringify(flow)).toBe(true);
    expect(exampleTests.length).toBeGreaterThan(0);
    for (const tests of exampleTests)
      expect(validate('#/properties/tests', tests), JSON.stringify(tests)).toBe(true);
    expect(exampleNodes.length).toBeGreaterThan(10);
    for (const node of exampleNodes) expect(validate('#/$defs/node', node), JSON.stringify(node)).toBe(true);
  });

  test('is the file that is published', () => {
    expect(JSON.parse(text('docs/flow-v1.schema.json'))).toEqual(publishedSchema());
  });
});

const step = { type: 'transform', output: 1 };
const flow = (nodes: object, more: object = {}) => ({ version: 1, name: 'F', start: 'a', nodes, ...more });
const inside = (node: object) => ({
  a: { type: 'map', items: [], body: { start: 'b', nodes: { b: node } } },
});

test.each<[string, object]>([
  ['an unknown field', flow({ a: step }, { nmae: 'F' })],
  ['another version', { ...flow({ a: step }), version: 2 }],
  ['a missing name', { version: 1, start: 'a', nodes: { a: step } }],
  ['an unknown node type', flow({ a: { type: 'teleport' } })],
  ['a field of another node type', flow({ a: { ...step, url: 'https://a.example' } })],
  ['an id that is none', flow({ 'A B': step })],
  ['a mistake in a node inside a node', flow(inside({ ...step, outptu: 1 }))],
  ['a mistake two levels down', flow(inside(inside({ type: 'llm', temperature: 3 }).a))],
])('%s is refused by the published schema as by the service', (_what, wrong) => {
  expect(validate('', wrong)).not.toBe(true);
  expect(checkFlow(wrong).ok).toBe(false);
});

test('a flow may name its schema for editors', () => {
  const named = flow({ a: step }, { $schema: 'http://127.0.0.1:3000/schemas/flow-v1.json' });
  expect(validate('', named)).toBe(true);
  expect(checkFlow(named).ok).toBe(true);
});
