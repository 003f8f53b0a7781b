// The geometry of pictures. A failing property prints its seed.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { spanMax } from '#lib/drawing/edges.ts';
import { buildGraph, type Graph, type GraphEdge } from '#lib/drawing/graph.ts';
import { layOut } from '#lib/drawing/layout.ts';
import type { PlacedBox, PlacedGraph } from '#lib/drawing/place-graph.ts';
import { checkedFlow } from '../flow/scripted.ts';
import { anyGraph } from './any-graph.ts';
import { findViolations } from './geometry.ts';

/** On a busy machine, a layout takes a tenth of a second. */
const step = (more: object = {}) => ({ type: 'transform', output: 1, ...more });
const layOutFlow = (nodes: Readonly<Record<string, unknown>>) => layOut(buildGraph(checkedFlow(nodes)));
const findBox = ({ boxes }: PlacedGraph, id: string) => boxes.find(({ node }) => node.id === id);

describe('in any picture', () => {
  test('boxes do not overlap, no line runs through a box or the label of another line, and no text is cut', async () => {
    await fc.assert(
      fc.asyncProperty(anyGraph(9, 2), async (graph) => {
        expect(findViolations(await layOut(graph))).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  test('a large picture, whose layout has other options, keeps the same rules', async () => {
    await fc.assert(
      fc.asyncProperty(anyGraph(150, 0), async (graph) => {
        expect(findViolations(await layOut(graph))).toEqual([]);
      }),
      { numRuns: 3 },
    );
  });

  test('every node except the first is below a node that has a line to it', async () => {
    await fc.assert(
      fc.asyncProperty(anyGraph(30, 0), async (graph) => {
        const { boxes, lines } = await layOut(graph);
        const bottoms = new Map(boxes.map(({ node, y, height }) => [node.id, y + height]));
        const isBelowSource = ({ node, y }: PlacedBox) =>
          lines.some(({ edge }) => edge.to === node.id && (bottoms.get(edge.from) ?? y) < y);
        const others = boxes.filter((box) => box.node.id !== graph.start && !isBelowSource(box));
        expect(others.map(({ node }) => node.id)).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });

  test('every edge is a line or a text in the box that it leaves', async () => {
    const format = ({ from, to, kind, label }: GraphEdge) => `${from} ${kind} ${to} ${label}`;
    await fc.assert(
      fc.asyncProperty(anyGraph(30, 0), async (graph) => {
        const { boxes, lines } = await layOut(graph);
        const inBoxes = boxes.flatMap(({ edgeTexts }) => edgeTexts.flatMap(({ edges }) => edges));
        const shown = [...lines.map(({ edge }) => edge), ...inBoxes].flatMap(({ labels, ...edge }) =>
          labels.map((label) => format({ ...edge, label })),
        );
        expect(shown.sort()).toEqual(graph.edges.map(format).sort());
      }),
      { numRuns: 20 },
    );
  });
});

test('a line past a node with blocks goes around it, however tall it is', async () => {
  const inner = (id: string, count: number) => ({
    start: `${id}0`,
    nodes: Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `${id}${index}`,
        step(index + 1 < count ? { next: `${id}${index + 1}` } : {}),
      ]),
    ),
  });
  const picture = await layOutFlow({
    route: { type: 'switch', cases: [{ when: '{{ true }}', next: 'par' }], default: 'call' },
    call: step({ catch: [{ on: ['*'], next: 'bad' }], next: 'done' }),
    par: { type: 'parallel', branches: { one: inner('a', 6), two: inner('b', 1) }, next: 'quest' },
    quest: { type: 'ask', prompt: '?', timeout_seconds: 9, on_timeout: 'bad', next: 'done' },
    bad: { type: 'fail', message: 'x' },
    done: { type: 'end', output: {} },
  });
  expect(findViolations(picture)).toEqual([]);
  const [caught] = picture.lines.filter(({ edge }) => edge.from === 'call' && edge.kind === 'catch');
  const par = findBox(picture, 'par');
  expect(caught?.points.at(-1)?.y).toBeGreaterThan((par?.y ?? 0) + (par?.height ?? 0));
});

describe('a heading', () => {
  const title = 'A title with more than one line of its own, but not cut';

  test('is broken into lines and not cut', async () => {
    const box = findBox(await layOutFlow({ a: step({ title }) }), 'a');
    expect(box?.heading.length).toBeGreaterThan(1);
    expect(box?.heading.join(' ')).toBe(title);
  });

  test.each([
    ['a long id', { ['a'.repeat(64)]: step({ title }) }],
    [
      'a block',
      {
        fan: {
          ...{ type: 'parallel', title },
          branches: Object.fromEntries(
            ['a', 'b', 'c', 'd'].map((id) => [id, { start: id, nodes: { [id]: step() } }]),
          ),
        },
      },
    ],
  ])('uses the whole width of a box that %s makes wide', async (_what, nodes) => {
    const [box] = (await layOutFlow(nodes)).boxes;
    expect(box?.heading).toEqual([title]);
  });

  test('that is longer than three lines ends with an ellipsis', async () => {
    const box = findBox(await layOutFlow({ a: step({ title: 'word '.repeat(40) }) }), 'a');
    expect(box?.heading).toHaveLength(3);
    expect(box?.heading.at(-1)).toMatch(/word…$/);
  });
});

describe('edges between the same two nodes', () => {
  const end = { type: 'end', output: {} };
  const cases = (count: number) => ({
    type: 'switch',
    cases: Array.from({ length: count }, (_, index) => ({ when: `{{ state.n = ${index} }}`, next: 'yes' })),
    default: 'no',
  });

  test('are one line that counts them', async () => {
    const { lines } = await layOutFlow({ which: cases(100), yes: end, no: end });
    expect(lines.map(({ label }) => label)).toEqual([['100 cases'], ['default']]);
  });

  test('are one line that names the default beside the number of cases', async () => {
    const { lines } = await layOutFlow({ which: { ...cases(9), default: 'yes' }, yes: end });
    expect(lines.map(({ label }) => label)).toEqual([['9 cases, default']]);
  });

  test('are one line with all their labels if they are few', async () => {
    const { lines } = await layOutFlow({ which: cases(3), yes: end, no: end });
    expect(lines[0]?.label).toEqual(['state.n = 0', 'state.n = 1', 'state.n = 2']);
  });

  test('are two lines if one of them is for errors', async () => {
    const { lines } = await layOutFlow({
      a: step({ next: 'b', catch: ['http.404', 'http.5xx'].map((on) => ({ on: [on], next: 'b' })) }),
      b: end,
    });
    expect(lines.map(({ edge, label }) => [edge.kind, label])).toEqual([
      ['next', []],
      ['catch', ['http.404', 'http.5xx']],
    ]);
  });
});

test('a node has at most one line back to itself; further edges are texts in its box', async () => {
  const again = { when: '{{ true }}', next: 'a' };
  const picture = await layOutFlow({
    a: { type: 'switch', cases: [again], default: 'b', catch: [{ on: ['timeout'], next: 'a' }] },
    b: { type: 'end', output: {} },
  });
  expect(findViolations(picture)).toEqual([]);
  expect(picture.lines.map(({ edge }) => `${edge.from} ${edge.kind} ${edge.to}`)).toEqual([
    'a branch a',
    'a branch b',
  ]);
  expect(findBox(picture, 'a')?.edgeTexts.map(({ text }) => text)).toEqual(['timeout → a']);
});

test('edges for errors are texts in the boxes if their lines would run past all other nodes', async () => {
  const picture = await layOutFlow({
    ...chain(30, { catch: [{ on: ['*'], next: 'bad' }] }),
    bad: { type: 'fail', message: 'x' },
    last: { type: 'end', output: {} },
  });
  expect(findBox(picture, 'n0')?.edgeTexts.map(({ text }) => text)).toEqual(['any error → bad']);
  expect(picture.lines.filter(({ edge }) => edge.to === 'bad')).toHaveLength(1);
});

function chain(count: number, more: object) {
  const id = (index: number) => (index < count ? `n${index}` : 'last');
  const nodes = Array.from({ length: count }, (_, index) => [
    id(index),
    step({ next: id(index + 1), ...more }),
  ]);
  return Object.fromEntries(nodes);
}

describe('the largest flows that the limits permit are drawn within seconds', () => {
  const edge = (from: number, to: number, kind: GraphEdge['kind'] = 'branch'): GraphEdge => ({
    ...{ from: `n${from}`, to: `n${to}`, kind },
    label: `state.n = ${to}`,
  });
  const graph = (count: number, edges: readonly GraphEdge[]): Graph => ({
    start: 'n0',
    nodes: Array.from({ length: count }, (_, index) => ({
      ...{ id: `n${index}`, type: 'switch', title: undefined, parts: [], inside: [] },
    })),
    edges,
  });
  const each = <T>(count: number, of: (index: number) => T) =>
    Array.from({ length: count }, (_, index) => of(index));

  test.each([
    [
      'switches of 100 cases each to any other',
      graph(50, each(49, (from) => each(100, (n) => edge(from, (from + 1 + n) % 50))).flat()),
    ],
    [
      'two wide rows, with edges from each node to many nodes of the next row',
      graph(491, [
        ...each(100, (n) => edge(0, n + 1)),
        ...each(100, (from) => each(49, (n) => edge(from + 1, 101 + ((from * 7 + n) % 390)))).flat(),
      ]),
    ],
    [
      'a chain in which every node has 100 edges for errors, to nodes everywhere',
      graph(
        500,
        each(499, (from) => [
          edge(from, from + 1, 'next'),
          ...each(100, (n) => edge(from, (from * 7 + n * 3) % 500, 'catch')),
        ]).flat(),
      ),
    ],
    [
      'a tree',
      graph(
        500,
        each(499, (n) => edge(Math.floor(n / 2), n + 1)),
      ),
    ],
  ])('%s', async (_what, largest) => {
    const picture = await layOut(largest);
    expect(picture.boxes).toHaveLength(largest.nodes.length);
    expect(picture.lines.length).toBeLessThan(largest.nodes.length + spanMax);
  });
});
