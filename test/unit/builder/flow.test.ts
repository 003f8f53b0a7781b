import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { expr, path, typed } from '#lib/builder/expression.ts';
import { idFields } from '#lib/builder/fields.ts';
import { flow } from '#lib/builder/flow.ts';
import { checkFlow } from '#lib/flow/check/check-flow.ts';
import { nodeTypes } from '#lib/flow/definition/node-types.ts';
import publishedSchema from '../../../docs/flow-v1.schema.json' with { type: 'json' };
import { buildContractDigest, buildOrderStatus, buildReviewedTranslation } from './sample-flows.ts';
import { buildForeignFlow, buildTypedFlow, refused } from './types.ts';

const readSample = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../events/flows/${name}.json`, import.meta.url), 'utf8'));

describe('a sample flow that is written with the builder', () => {
  test.each([
    ['order-status', buildOrderStatus, {}],
    ['reviewed-translation', buildReviewedTranslation, { tests: undefined }],
    ['contract-digest', buildContractDigest, { tests: undefined }],
  ])('%s equals its JSON, and passes the check', (name, build, without) => {
    const built = build().toJSON();
    expect(built).toEqual({ ...readSample(name), ...without });
    expect(checkFlow(built)).toMatchObject({ ok: true });
  });
});

/** A builder and a scope, without what their types say. */
type Loose = Readonly<Record<string, (id: string, fields: object) => unknown>>;

/** Adds nodes of JSON, with a function in place of each scope inside them; returns the node with the id `start`. */
function addAll(scope: Loose, { start, nodes }: { readonly start: string; readonly nodes: object }): unknown {
  const refs = Object.entries(nodes).map(([id, { type, ...fields }]) => [
    id,
    scope[type]?.(id, openScopes(fields)),
  ]);
  return Object.fromEntries(refs)[start];
}

function openScopes(fields: object): object {
  const entries = Object.entries(fields).map(([name, value]) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [name, value];
    return [name, 'nodes' in value ? (scope: Loose) => addAll(scope, value) : openScopes(value)];
  });
  return Object.fromEntries(entries);
}

const sampleNames = readdirSync(new URL('../../../events/flows', import.meta.url));

test.each(sampleNames)('%s is the same after it was built node by node', (name) => {
  const { version: _version, nodes, start, $schema, ...head } = readSample(name.replace('.json', ''));
  const f = flow({ ...head, start, ...($schema && { $schema }), ids: Object.keys(nodes) });
  addAll(f as unknown as Loose, { start, nodes });
  expect(JSON.parse(JSON.stringify(f))).toEqual(readSample(name.replace('.json', '')));
});

describe('the builder has', () => {
  test('a function for each node type, and names that are no node types', () => {
    const { input, state, env, run, nodes, answer, toJSON, ...functions } = flow({ name: 'x' });
    expect(Object.keys(functions)).toEqual(Object.keys(nodeTypes));
    expect([input, state, env, run, nodes, answer].map(String)).toEqual(
      ['input', 'state', 'env', 'run', 'nodes', 'answer'].map((name) => `{{ ${name} }}`),
    );
    expect(toJSON).toBeTypeOf('function');
  });

  test('each field whose value is the id of a node', () => {
    expect(findIdFields(publishedSchema).sort()).toEqual([...idFields, 'start'].sort());
  });
});

/** The names of the properties, in the whole published schema, whose value is the id of a node. */
function findIdFields(schema: unknown, found = new Set<string>()): string[] {
  if (typeof schema !== 'object' || schema === null) return [...found];
  const properties = 'properties' in schema ? Object.entries(schema.properties ?? {}) : [];
  for (const [name, property] of properties) if (property?.$ref === '#/$defs/node_id') found.add(name);
  for (const inner of Object.values(schema)) findIdFields(inner, found);
  return [...found];
}

describe('an expression', () => {
  const order = path<unknown>('nodes.order');

  test.each([
    [`${path<{ a: { b: 1 } }>('x').a.b}`, '{{ x.a.b }}'],
    [`${order['x-id']}`, '{{ nodes.order.`x-id` }}'],
    [`${order.in}`, '{{ nodes.order.`in` }}'],
    [`${order[0]}`, '{{ nodes.order[0] }}'],
    [`${path<readonly string[]>('xs').at(-1)}`, '{{ xs[-1] }}'],
    [`${path<{ at: { time: 1 } }>('x').at.time}`, '{{ x.at.time }}'],
    [`${typed<{ id: string }>(order).id}`, '{{ nodes.order.id }}'],
    [`${expr`$count(${order}) > ${3}`}`, '{{ $count(nodes.order) > 3 }}'],
    [`${expr`${order} = ${"it's"}`}`, `{{ nodes.order = "it's" }}`],
    [`${expr`$match(${order}, /\d+/)`}`, '{{ $match(nodes.order, /\\d+/) }}'],
    [`${expr`1 + ${expr`2`}`}`, '{{ 1 + 2 }}'],
    [JSON.stringify({ order, sum: expr`1 + 1` }), '{"order":"{{ nodes.order }}","sum":"{{ 1 + 1 }}"}'],
  ])('is a template wherever it becomes text: %s', (text, expected) => expect(text).toBe(expected));

  test('can be awaited without being taken for a promise', async () => {
    expect(String(await order)).toBe('{{ nodes.order }}');
  });
});

describe('the flow of the type tests', () => {
  const { f, other } = buildTypedFlow();
  const built = f.toJSON();

  test('passes the check', () => expect(checkFlow(built)).toMatchObject({ ok: true }));

  test('has nodes as ids, scopes from functions, and schemas from zod', () => {
    expect(other.id).toBe('other');
    expect(built).toMatchObject({
      start: 'order',
      input: {
        type: 'object',
        properties: { order_id: { type: 'string' }, note: { type: 'string' } },
        required: ['order_id'],
      },
      nodes: {
        each: {
          body: { start: 'price', nodes: { price: { type: 'transform', output: '{{ item.price }}' } } },
        },
        both: {
          branches: {
            left: { start: 'left' },
            right: { start: 'first_right', nodes: { first_right: { next: 'last_right' } } },
          },
        },
      },
    });
    expect(built.input).not.toHaveProperty('$schema');
  });
});

test('typed outputs of code, stored values, events, tools and other flows print as their paths', () => {
  const built = buildForeignFlow().toJSON();
  expect(built).toMatchObject({
    nodes: {
      paid: { schema: { type: 'object', properties: { amount: { type: 'number' } } } },
      written: {
        value: { count: '{{ nodes.read.value.count + 1 }}' },
        if_version: '{{ nodes.read.version }}',
      },
      done: { output: { sum: '{{ nodes.sum.total }}' } },
    },
  });
});

describe('an id that is wrong', () => {
  test('is refused where it is written, for a wrong or a repeated one', () => {
    const f = flow({ name: 'x' });
    expect(() => f.end('Done', { output: {} })).toThrow('"Done" is not an id: expected a lower-case letter');
    f.end('done', { output: {} });
    expect(() => f.end('done', { output: {} })).toThrow('two nodes with the id "done"');
    expect(() =>
      f.map('each', { items: [1], body: (each) => each.transform('done', { output: 1 }) }),
    ).toThrow('two nodes with the id "done"');
  });

  test('is listed when the flow is built, for one that no node has', () => {
    const f = flow({ name: 'x', ids: ['a', 'b', 'c'] });
    const loose: { next: 'b' } = JSON.parse('{"next": "d"}');
    f.transform('a', { output: 1, ...loose });
    f.map('b', { items: [1], body: (each) => each.transform('inner', { output: 1, next: 'a' }), next: 'a' });
    expect(() => f.toJSON()).toThrow(
      'The flow is not complete: the node "a" leads to "d", which no node of its scope has as its id; the id "c" has no node; ' +
        'the node "inner" leads to "a", which no node of its scope has as its id.',
    );
  });

  test('is listed in cases, after errors and at the start', () => {
    const f = flow({ name: 'x', start: 'nowhere' });
    f.switch('a', {
      cases: [{ when: '{{ true }}', next: 'x1' }],
      default: 'x2',
      catch: [{ on: ['*'], next: 'x3' }],
    });
    expect(() => f.toJSON()).toThrow(/starts with "nowhere".*"x3".*"x1".*"x2"/);
    expect(() => flow({ name: 'x' }).toJSON()).toThrow('a scope has no nodes');
  });

  test('is refused in the file of type tests, too', () => expect(refused).toThrow());
});

describe('a node is no text: it is refused', () => {
  const f = flow({ name: 'x' as string });
  const a = f.transform('a', { output: 1 });
  const refusal =
    'The node "a" is neither text nor an expression: use `.output` for what it gives, or `.id`.';
  test('in a template literal', () => {
    expect(() => f.end('z', { output: { q: `The result: ${a}` } })).toThrow(refusal);
  });
  test('in an expression', () => {
    expect(() => expr`$string(${a})`).toThrow(refusal);
    expect(String(expr`${a.output} + ${new Date(0)}`)).toBe('{{ nodes.a + "1970-01-01T00:00:00.000Z" }}');
  });
});

test('a value that is no JSON is refused', () => {
  const f = flow({ name: 'x' });
  const large: { seconds: number } = { seconds: Number.NaN };
  expect(() => f.wait('a', large)).toThrow('Expected JSON or an expression, got NaN');
  expect(() => f.llm('b', { prompt: 'x', output_schema: z.object({ at: z.date() }) })).toThrow('Date');
});
