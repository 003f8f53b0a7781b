// Where things stand in pictures, as geometry. A failing property prints its seed.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { spanMax } from '#lib/drawing/edges.ts';
import { type Graph, type GraphEdge, graphOf } from '#lib/drawing/graph.ts';
import { type Placed, type PlacedBox, placed } from '#lib/drawing/layout.ts';
import { checkedFlow } from '../flow/scripted.ts';
import { anyGraph } from '../local/drawing/any-graph.ts';
import { findBreaches } from '../local/drawing/geometry.ts';

/** Layouts take a tenth of a second each where the machine is busy. */
const patient = { timeout: 60_000 } as const;
const step = (more: object = {}) => ({ type: 'transform', output: 1, ...more });
const pictureOf = (nodes: Readonly<Record<string, unknown>>) => placed(graphOf(checkedFlow(nodes)));
const boxOf = ({ boxes }: Placed, id: string) => boxes.find(({ node }) => node.id === id);

describe('in any picture', patient, () => {
  test('boxes do not overlap, no line runs through a box or the label of another, and no text is cut', async () => {
    await fc.assert(
      fc.asyncProperty(anyGraph(9, 2), async (graph) => {
        expect(findBreaches(await placed(graph))).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  test('also in large ones, where rows are set otherwise', async () => {
    await fc.assert(
      fc.asyncProperty(anyGraph(150, 0), async (graph) => {
        expect(findBreaches(await placed(graph))).toEqual([]);
      }),
      { numRuns: 3 },
    );
  });

  test('every node but the first stands below one that leads to it by a line', async () => {
    await fc.assert(
      fc.asyncProperty(anyGraph(30, 0), async (graph) => {
        const { boxes, lines } = await placed(graph);
        const bottoms = new Map(boxes.map(({ node, y, height }) => [node.id, y + height]));
        const isBelowOne = ({ node, y }: PlacedBox) =>
          lines.some(({ way }) => way.to === node.id && (bottoms.get(way.from) ?? y) < y);
        const hanging = boxes.filter((box) => box.node.id !== graph.start && !isBelowOne(box));
        expect(hanging.map(({ node }) => node.id)).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });

  test('every edge is in a line or told in the box that it leaves', async () => {
    const written = ({ from, to, kind, label }: GraphEdge) => `${from} ${kind} ${to} ${label}`;
    await fc.assert(
      fc.asyncProperty(anyGraph(30, 0), async (graph) => {
        const { boxes, lines } = await placed(graph);
        const told = boxes.flatMap(({ told }) => told.flatMap(({ ways }) => ways));
        const shown = [...lines.map(({ way }) => way), ...told].flatMap(({ labels, ...way }) =>
          labels.map((label) => written({ ...way, label })),
        );
        expect(shown.sort()).toEqual(graph.edges.map(written).sort());
      }),
      { numRuns: 20 },
    );
  });
});

test('a way past a container goes around it, however tall it is', async () => {
  const inner = (id: string, count: number) => ({
    start: `${id}0`,
    nodes: Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `${id}${index}`,
        step(index + 1 < count ? { next: `${id}${index + 1}` } : {}),
      ]),
    ),
  });
  const picture = await pictureOf({
    route: { type: 'switch', cases: [{ when: '{{ true }}', next: 'par' }], default: 'call' },
    call: step({ catch: [{ on: ['*'], next: 'bad' }], next: 'done' }),
    par: { type: 'parallel', branches: { one: inner('a', 6), two: inner('b', 1) }, next: 'quest' },
    quest: { type: 'ask', prompt: '?', timeout_seconds: 9, on_timeout: 'bad', next: 'done' },
    bad: { type: 'fail', message: 'x' },
    done: { type: 'end', output: {} },
  });
  expect(findBreaches(picture)).toEqual([]);
  const [caught] = picture.lines.filter(({ way }) => way.from === 'call' && way.kind === 'catch');
  const par = boxOf(picture, 'par');
  expect(caught?.points.at(-1)?.y).toBeGreaterThan((par?.y ?? 0) + (par?.height ?? 0));
});

describe('a heading', () => {
  const title = 'A title with more than one line of its own, but not cut';

  test('is broken into lines rather than cut', async () => {
    const box = boxOf(await pictureOf({ a: step({ title }) }), 'a');
    expect(box?.heading.length).toBeGreaterThan(1);
    expect(box?.heading.join(' ')).toBe(title);
  });

  test.each([
    ['a long id', { ['a'.repeat(64)]: step({ title }) }],
    [
      'what is inside',
      {
        fan: {
          ...{ type: 'parallel', title },
          branches: Object.fromEntries(
            ['a', 'b', 'c', 'd'].map((id) => [id, { start: id, nodes: { [id]: step() } }]),
          ),
        },
      },
    ],
  ])('has all the room of a box that %s makes wide', async (_what, nodes) => {
    const [box] = (await pictureOf(nodes)).boxes;
    expect(box?.heading).toEqual([title]);
  });

  test('that is longer than three lines says that there is more', async () => {
    const box = boxOf(await pictureOf({ a: step({ title: 'word '.repeat(40) }) }), 'a');
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
    const { lines } = await pictureOf({ which: cases(100), yes: end, no: end });
    expect(lines.map(({ label }) => label)).toEqual([['100 cases'], ['default']]);
  });

  test('are one line that tells the default from what it counts', async () => {
    const { lines } = await pictureOf({ which: { ...cases(9), default: 'yes' }, yes: end });
    expect(lines.map(({ label }) => label)).toEqual([['9 cases, default']]);
  });

  test('are one line that names them while they are few', async () => {
    const { lines } = await pictureOf({ which: cases(3), yes: end, no: end });
    expect(lines[0]?.label).toEqual(['state.n = 0', 'state.n = 1', 'state.n = 2']);
  });

  test('are two lines where one is for errors', async () => {
    const { lines } = await pictureOf({
      a: step({ next: 'b', catch: ['http.404', 'http.5xx'].map((on) => ({ on: [on], next: 'b' })) }),
      b: end,
    });
    expect(lines.map(({ way, label }) => [way.kind, label])).toEqual([
      ['next', []],
      ['catch', ['http.404', 'http.5xx']],
    ]);
  });
});

test('a node has one line that leads back to itself, and tells of more', async () => {
  const again = { when: '{{ true }}', next: 'a' };
  const picture = await pictureOf({
    a: { type: 'switch', cases: [again], default: 'b', catch: [{ on: ['timeout'], next: 'a' }] },
    b: { type: 'end', output: {} },
  });
  expect(findBreaches(picture)).toEqual([]);
  expect(picture.lines.map(({ way }) => `${way.from} ${way.kind} ${way.to}`)).toEqual([
    'a branch a',
    'a branch b',
  ]);
  expect(boxOf(picture, 'a')?.told.map(({ text }) => text)).toEqual(['timeout → a']);
});

test('where a line for each error would run past all the rest, boxes tell where errors lead', async () => {
  const picture = await pictureOf({
    ...chain(30, { catch: [{ on: ['*'], next: 'bad' }] }),
    bad: { type: 'fail', message: 'x' },
    last: { type: 'end', output: {} },
  });
  expect(boxOf(picture, 'n0')?.told.map(({ text }) => text)).toEqual(['any error → bad']);
  expect(picture.lines.filter(({ way }) => way.to === 'bad')).toHaveLength(1);
});

function chain(count: number, more: object) {
  const id = (index: number) => (index < count ? `n${index}` : 'last');
  const nodes = Array.from({ length: count }, (_, index) => [
    id(index),
    step({ next: id(index + 1), ...more }),
  ]);
  return Object.fromEntries(nodes);
}

describe('the largest flows that the limits permit are drawn within seconds', { timeout: 30_000 }, () => {
  const edge = (from: number, to: number, kind: GraphEdge['kind'] = 'branch'): GraphEdge => ({
    ...{ from: `n${from}`, to: `n${to}`, kind },
    label: `state.n = ${to}`,
  });
  const graph = (count: number, edges: readonly GraphEdge[]): Graph => ({
    start: 'n0',
    nodes: Array.from({ length: count }, (_, index) => ({
      ...{ id: `n${index}`, type: 'switch', title: undefined, inside: [] },
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
      'two wide rows, each node of which leads to many of the next',
      graph(491, [
        ...each(100, (n) => edge(0, n + 1)),
        ...each(100, (from) => each(49, (n) => edge(from + 1, 101 + ((from * 7 + n) % 390)))).flat(),
      ]),
    ],
    [
      'a chain in which every node catches an error of each kind from everywhere',
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
    const picture = await placed(largest);
    expect(picture.boxes).toHaveLength(largest.nodes.length);
    expect(picture.lines.length).toBeLessThan(largest.nodes.length + spanMax);
  });
});
