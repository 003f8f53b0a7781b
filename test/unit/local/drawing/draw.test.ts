// Pictures of flows, read back as XML.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { draw } from '#lib/local/drawing/draw.ts';
import { graphOf } from '#lib/local/drawing/graph.ts';
import { placed } from '#lib/local/drawing/layout.ts';
import { type Element, elementsIn, readXml } from '#test/support/xml.ts';
import { flowOf, runNodes } from '../../flow/scripted.ts';

const step = (more: object = {}) => ({ type: 'transform', output: 1, ...more });

const nested = {
  plan: { type: 'llm', prompt: 'x', catch: [{ on: ['model.*'], next: 'late' }], next: 'fan' },
  fan: {
    type: 'parallel',
    branches: {
      left: { start: 'one', nodes: { one: step({ next: 'two' }), two: step() } },
      right: {
        start: 'each',
        nodes: {
          each: { type: 'map', items: [1, 2], body: { start: 'twice', nodes: { twice: step() } } },
        },
      },
    },
    next: 'approve',
  },
  approve: { type: 'ask', prompt: 'Ok?', timeout_seconds: 60, on_timeout: 'late', next: 'which' },
  which: {
    type: 'switch',
    cases: [{ when: "{{ nodes.approve = 'no' }}", next: 'plan' }],
    default: 'done',
  },
  late: { type: 'fail', message: 'late' },
  done: { type: 'end', output: {} },
};

const read = (svg: string) => elementsIn(readXml(svg));
const textsOf = (svg: string) => read(svg).flatMap(({ name, text }) => (name === 'text' ? [text] : []));
const classed = (elements: readonly Element[], ...names: string[]) =>
  elements.filter(({ attributes }) => names.every((name) => attributes.class?.split(' ').includes(name)));

describe('a picture', () => {
  test('shows every node with its type, also those inside others, and what leads where', () => {
    const texts = textsOf(draw(flowOf(nested)));
    for (const label of [
      'llm · plan',
      'parallel · fan',
      'transform · two',
      'map · each',
      'transform · twice',
    ])
      expect(texts).toContain(label);
    expect(texts).toEqual(expect.arrayContaining(['left', 'right', 'each item']));
    expect(texts).toEqual(
      expect.arrayContaining(['model.*', "nodes.approve = 'no'", 'default', 'time is up']),
    );
  });

  test('shows ways after errors and timeouts dashed, and no others', () => {
    const elements = read(draw(flowOf(nested)));
    expect(classed(elements, 'edge', 'dashed')).toHaveLength(2);
  });

  test('has a title where a node has one', () => {
    expect(textsOf(draw(flowOf({ a: step({ title: 'Look it up' }) })))).toContain('Look it up');
  });

  test('is the same each time', () => {
    expect(draw(flowOf(nested))).toBe(draw(flowOf(nested)));
  });

  test('holds any text as text: nothing of it becomes markup', () => {
    const texts = fc.string({ unit: 'binary', maxLength: 60 });
    const hostile = fc.constantFrom(
      '</text><script>alert(1)</script>',
      ']]>',
      '&#x0;',
      '"/><a href="x">',
      '‮x',
    );
    fc.assert(
      fc.property(fc.oneof(texts, hostile), (title) => {
        const names = new Set(
          read(draw(flowOf({ a: step({ title }) }, { name: `F${title}` }))).map(({ name }) => name),
        );
        expect([...names].sort()).toEqual([
          'circle',
          'defs',
          'g',
          'marker',
          'path',
          'rect',
          'style',
          'svg',
          'text',
          'title',
        ]);
      }),
    );
  });
});

const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
const link = fc.option(fc.constantFrom(...ids), { nil: undefined });

/** Any graph of up to six nodes, laid out. */
const anyPicture = fc.array(fc.tuple(link, link), { minLength: 1, maxLength: 6 }).map((links) => {
  const known = ids.slice(0, links.length);
  const nodes = known.map((id) => ({ id, type: 'transform', title: undefined, inside: [] }));
  const edges = links.flatMap((targets, index) =>
    targets
      .filter((to) => to !== undefined && known.includes(to))
      .map((to) => ({ from: known[index] ?? '', to: to ?? '', kind: 'next' as const, label: '' })),
  );
  return placed({ start: 'a', nodes, edges });
});

test('a way to another node leaves at the top or the bottom and arrives there, clear of what stands beside', () => {
  fc.assert(
    fc.property(anyPicture, ({ nodes, edges }) => {
      for (const { edge, points } of edges) {
        if (edge.from === edge.to) continue;
        for (const [id, point] of [
          [edge.from, points[0]],
          [edge.to, points.at(-1)],
        ] as const) {
          const box = nodes.find(({ node }) => node.id === id);
          expect([box?.y, (box?.y ?? 0) + (box?.height ?? 0)]).toContain(point?.y);
        }
      }
    }),
  );
});

test('nodes never overlap, and lie within the picture', () => {
  fc.assert(
    fc.property(anyPicture, (picture) => {
      for (const [index, box] of picture.nodes.entries()) {
        expect(Math.min(box.x, box.y)).toBeGreaterThanOrEqual(0);
        expect(box.x + box.width).toBeLessThanOrEqual(picture.width);
        expect(box.y + box.height).toBeLessThanOrEqual(picture.height);
        for (const other of picture.nodes.slice(index + 1)) {
          const isBeside = box.x + box.width <= other.x || other.x + other.width <= box.x;
          const isBelow = box.y + box.height <= other.y || other.y + other.height <= box.y;
          expect(isBeside || isBelow).toBe(true);
        }
      }
    }),
  );
});

describe('the way of a run', () => {
  const failing = {
    call: { type: 'fail', code: 'gone', message: 'Gone.' },
  };

  test('is marked with the order and the time of its nodes; the rest steps back', async () => {
    const nodes = {
      first: step({ next: 'which' }),
      which: { type: 'switch', cases: [{ when: '{{ false }}', next: 'other' }], default: 'done' },
      other: { type: 'end', output: {} },
      done: { type: 'end', output: {} },
    };
    const { entries } = await runNodes(nodes);
    const svg = draw(flowOf(nodes), entries);
    expect(textsOf(svg)).toEqual(
      expect.arrayContaining(['1 · 0 ms', '2 · 0 ms', '3 · 0 ms', 'The run completed after 3 steps.']),
    );
    const elements = read(svg);
    expect(classed(elements, 'edge', 'taken')).toHaveLength(2);
    expect(classed(elements, 'edge', 'passed')).toHaveLength(1);
    expect(classed(elements, 'end', 'passed')).toHaveLength(1);
  });

  test('shows what failed', async () => {
    const { entries } = await runNodes(failing);
    const elements = read(draw(flowOf(failing), entries));
    expect(classed(elements, 'failed')).toHaveLength(1);
  });

  test('tells the way after an error from the way without one', async () => {
    const nodes = {
      ask: { type: 'llm', prompt: 'x', catch: [{ on: ['*'], next: 'done' }], next: 'done' },
      done: { type: 'end', output: {} },
    };
    const model = () => Promise.reject(new Error('down'));
    const { entries } = await runNodes(nodes, { model });
    const taken = classed(read(draw(flowOf(nodes), entries)), 'edge', 'taken');
    expect(taken.map(({ attributes }) => attributes.class)).toEqual(['edge dashed taken']);
  });

  test('counts the visits of nodes inside a map, and leaves nodes of called flows alone', async () => {
    const nodes = {
      each: {
        type: 'map',
        items: [1, 2, 3, 4, 5],
        body: { start: 'twice', nodes: { twice: step() } },
        next: 'done',
      },
      done: { type: 'end', output: {} },
    };
    const { entries } = await runNodes(nodes);
    const foreign = { event: 'started', message: '', node_id: 'twice', scope: 'done.1.called' };
    const texts = textsOf(draw(flowOf(nodes), [...entries, foreign]));
    expect(texts).toContain('2, 3, 4 … (5×) · 0 ms');
  });
});

test('a graph has the edges of a flow in the order in which they are written', () => {
  expect(graphOf(flowOf(nested)).edges.map(({ from, to, kind }) => `${from} ${kind} ${to}`)).toEqual([
    'plan next fan',
    'plan catch late',
    'fan next approve',
    'approve next which',
    'approve timeout late',
    'which branch plan',
    'which branch done',
  ]);
});

test.each([
  '<a>',
  '<a></b>',
  '<a b=c/>',
  '<a>&nbsp;</a>',
  '<a b="1" b="2"/>',
  '<a/><b/>',
  '<a>\u0000</a>',
  '<a><</a>',
])('the reader of these tests refuses %j', (source) => {
  expect(() => readXml(source)).toThrow();
});
