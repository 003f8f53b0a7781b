import { describe, expect, test } from 'vitest';
import { checkText, locateMistakes } from '#lib/console/editor/check-text.ts';
import { markProblems, markTest, nodeOf, readDrawable } from '#lib/console/editor/live-graph.ts';
import { Buffer as BrowserBuffer } from '#lib/console/editor/node-globals.ts';
import { createHash, createHmac, isDeepStrictEqual } from '#lib/console/editor/node-modules.ts';
import { computeDigest, computeHmac } from '#lib/digest.ts';
import { starterFlow } from '#lib/starter-flow.ts';

describe('the text of a flow', () => {
  test.each([
    ['JSON', '{\n  "version": 1,\n  "nodes" 2\n}', 3, ''],
    [
      'a duplicate name',
      '{\n "version": 1,\n "version": 1,\n "name": "a", "start": "b", "nodes": {}}',
      2,
      '/version',
    ],
    ['YAML', 'version: 1\nname: [\n', 3, ''],
    ['the flow', JSON.stringify({ ...starterFlow('x'), start: 'none' }, undefined, 1), 4, '/start'],
  ])('has each mistake at its line: %s', async (_what, text, line, pointer) => {
    const { problems } = await checkText(text);
    expect(problems[0]).toMatchObject({ severity: 'error', line, pointer });
  });

  test('has no mistakes if the service accepts it, in YAML as in JSON', async () => {
    for (const text of [
      JSON.stringify(starterFlow('x')),
      'version: 1\nname: a\nstart: b\nnodes:\n  b: {type: end, output: {}}\n',
    ])
      expect((await checkText(text)).problems).toEqual([]);
  });

  test('gives mistakes of the service their positions', async () => {
    const text = JSON.stringify(starterFlow('x'), undefined, 1);
    const mistakes = [{ pointer: '/nodes/done/output', detail: 'no' }];
    const line = text.split('\n').findIndex((each) => each.includes('"output"')) + 1;
    expect(await locateMistakes(text, mistakes)).toMatchObject([{ ...mistakes[0], line }]);
  });
});

describe('the live picture', () => {
  const end = { type: 'end', output: {} };
  const flow = { start: 'a', nodes: { a: { type: 'transform', next: 'gone' }, b: end } };

  test('has no edges to nodes that do not exist, and is none of what cannot be drawn', () => {
    expect(readDrawable(flow)?.edges).toEqual([]);
    expect(readDrawable({ ...flow, start: 'gone' })).toBeUndefined();
    expect(readDrawable({ ...flow, nodes: { a: { type: 'agent', tools: [1, null] } } })).toBeUndefined();
  });

  test.each([
    ['/nodes/a/next', 'a'],
    ['/nodes/m/body/nodes/x/output', 'x'],
    ['/nodes/p/branches/one/nodes/y', 'y'],
    ['/nodes/a/output/nodes/z', 'a'],
    ['/start', undefined],
  ])('marks the innermost node of %s', (pointer, id) => {
    expect(nodeOf(pointer)).toBe(id);
  });

  test('has the problems of nodes, and the steps and edges of a test', () => {
    const problem = {
      severity: 'warning',
      pointer: '/nodes/b/output',
      detail: '',
      line: 1,
      column: 1,
    } as const;
    expect(markProblems([problem]).nodes.get('b')?.label).toBe('1 warning');
    const graph = readDrawable({ ...flow, nodes: { ...flow.nodes, a: { type: 'transform', next: 'b' } } });
    if (!graph) throw new Error('This is no flow.');
    const marks = markTest(graph, { name: '', passed: false, expectation: '', path: ['a', 'b'] });
    expect(marks.nodes.get('b')).toMatchObject({ label: 'Step 2 of the test', tone: 'bad' });
    expect([...marks.edges.values()]).toEqual(['taken']);
  });
});

test('the replacements of Node.js compute the same', () => {
  for (const algorithm of ['md5', 'sha1', 'sha256', 'sha384', 'sha512'] as const) {
    expect([...createHash(algorithm).update('né').digest()]).toEqual([...computeDigest(algorithm, 'né')]);
    const key = new TextEncoder().encode('key');
    expect([...createHmac(algorithm, key).update('né').digest()]).toEqual([
      ...computeHmac(algorithm, 'né', 'key'),
    ]);
  }
  for (const encoding of ['base64', 'base64url', 'hex'] as const)
    expect(BrowserBuffer.from([251, 255, 1]).toString(encoding)).toBe(
      Buffer.from([251, 255, 1]).toString(encoding),
    );
  expect(isDeepStrictEqual({ a: [1, { b: null }] }, { a: [1, { b: null }] })).toBe(true);
  expect(isDeepStrictEqual({ a: [1] }, { a: { 0: 1 } })).toBe(false);
});
