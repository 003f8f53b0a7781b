import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createNode, listFields, listNodeTypes } from '#lib/console/editor/node-fields.ts';
import { findReferences, listNodes } from '#lib/console/editor/node-references.ts';
import type { Schema } from '#lib/console/editor/schema-keys.ts';
import { nodeSchemas } from '#lib/flow/definition/node-types.ts';

const root: Schema = JSON.parse(readFileSync('docs/flow-v1.schema.json', 'utf8'));
const kinds = (type: string) =>
  Object.fromEntries(listFields(root, type).map(({ name, kind }) => [name, kind]));

describe('the fields of a node type', () => {
  test('every type has a form, with a description of each field', () => {
    expect(
      listNodeTypes(root)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(Object.keys(nodeSchemas).toSorted());
    for (const { name } of listNodeTypes(root))
      for (const field of listFields(root, name))
        expect(field.description, `${name}.${field.name}`).toBeTruthy();
  });

  test('are of the kind that their schema asks for', () => {
    expect(kinds('http')).toMatchObject({
      url: 'lines',
      method: 'choice',
      headers: 'source',
      body: 'value',
      max_concurrency: 'number',
      title: 'text',
      next: 'node',
    });
    expect(kinds('wait')).toMatchObject({ seconds: 'number', on_timeout: 'node', schema: 'source' });
    expect(kinds('llm')).toMatchObject({ prompt: 'lines', stream: 'choice', temperature: 'number' });
    expect(kinds('map')).toMatchObject({ body: 'nodes', items: 'value' });
    expect(kinds('parallel')).toMatchObject({ branches: 'nodes', join: 'choice' });
  });

  test('begin with the required ones, and have their defaults', () => {
    const [first, second] = listFields(root, 'switch');
    expect([first?.name, second?.name]).toEqual(['cases', 'default']);
    expect(listFields(root, 'http').find(({ name }) => name === 'method')?.defaultValue).toBe('GET');
  });
});

test('a new node has its required fields, and a scope with a node where it needs one', () => {
  expect(createNode(root, 'switch', 'which')).toEqual({ type: 'switch', cases: [], default: '' });
  expect(createNode(root, 'map', 'each')).toEqual({
    type: 'map',
    items: '',
    body: { start: 'each_each', nodes: { each_each: { type: 'transform', output: '' } } },
  });
});

describe('the nodes of a document', () => {
  const flow = {
    start: 'each',
    nodes: {
      each: {
        type: 'map',
        items: '{{ input.list }}',
        body: {
          start: 'price',
          nodes: { price: { type: 'transform', output: '{{ nodes.priced }}', next: 'done' } },
        },
        next: 'done',
      },
      which: { type: 'switch', cases: [{ when: '{{ nodes.each[0] }}', next: 'done' }], default: 'each' },
      done: { type: 'end', output: '{{ nodes.each }} of done', message: 'each' },
    },
  };

  test('are listed with those inside, their scope and their path', () => {
    expect(listNodes(flow).map(({ id, depth, siblings }) => [id, depth, siblings])).toEqual([
      ['each', 0, ['each', 'which', 'done']],
      ['price', 1, ['price']],
      ['which', 0, ['each', 'which', 'done']],
      ['done', 0, ['each', 'which', 'done']],
    ]);
    expect(listNodes(flow)[1]?.path).toEqual(['nodes', 'each', 'body', 'nodes', 'price']);
  });

  test('are referred to by ids and by expressions with their output, and not by other texts', () => {
    expect(findReferences(flow, 'each')).toEqual([
      '/start',
      '/nodes/which/cases/0/when',
      '/nodes/which/default',
      '/nodes/done/output',
    ]);
    expect(findReferences(flow, 'price')).toEqual(['/nodes/each/body/start']);
  });
});
