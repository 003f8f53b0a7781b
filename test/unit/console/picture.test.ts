import { describe, expect, test } from 'vitest';
import { markChanges, mergeGraphs } from '#lib/console/agents/compare-graph.ts';
import { arrowHead } from '#lib/console/picture/arrow-head.ts';
import { findNeighbours, listInOrder } from '#lib/console/picture/neighbours.ts';
import { firstZoom, fitZoom, zoomIn, zoomOut } from '#lib/console/picture/zoom.ts';
import { type Graph, readGraph } from '#lib/drawing/graph.ts';
import type { JsonObject } from '#lib/json/json.ts';

const graphOf = (flow: JsonObject): Graph => {
  const graph = readGraph(flow);
  if (!graph) throw new Error('This is no flow.');
  return graph;
};

const end = { type: 'end', output: {} };
const flow = {
  start: 'which',
  nodes: {
    which: { type: 'switch', cases: [{ when: '{{ a }}', next: 'left' }], default: 'right' },
    left: { type: 'transform', output: 1, next: 'each' },
    right: { type: 'transform', output: 2, next: 'which' },
    each: {
      type: 'map',
      items: [1],
      body: { start: 'one', nodes: { one: { type: 'transform', output: 1, next: 'two' }, two: end } },
      next: 'done',
    },
    done: end,
  },
};

describe('the arrow keys', () => {
  const neighbours = findNeighbours(graphOf(flow));

  test.each([
    ['which', 'ArrowDown', 'left'],
    ['left', 'ArrowRight', 'right'],
    ['right', 'ArrowLeft', 'left'],
    ['right', 'ArrowUp', 'which'],
    ['right', 'ArrowDown', 'which'],
    ['left', 'ArrowDown', 'each'],
    ['each', 'ArrowRight', 'one'],
    ['one', 'ArrowLeft', 'each'],
    ['one', 'ArrowUp', 'each'],
    ['one', 'ArrowDown', 'two'],
    ['two', 'ArrowUp', 'one'],
    ['each', 'ArrowDown', 'done'],
    ['done', 'ArrowDown', undefined],
  ] as const)('from %s, %s leads to %s', (id, key, target) => {
    expect(neighbours.get(id)?.[key]).toBe(target);
  });

  test('Tab order is reading order, with the nodes inside a node after it', () => {
    const ids = listInOrder(graphOf(flow)).map(({ id }) => id);
    expect(ids).toEqual(['which', 'left', 'each', 'one', 'two', 'done', 'right']);
  });
});

test('the zoom has steps, fits the width, and shows a picture first so that it can be read', () => {
  expect([zoomIn(1), zoomOut(1), zoomIn(2), zoomOut(0.1)]).toEqual([1.25, 0.85, 2, 0.1]);
  expect([fitZoom(400, 1000), fitZoom(2000, 1000), fitZoom(1e6, 1000)]).toEqual([1, 0.5, 0.1]);
  expect([firstZoom(400, 1000), firstZoom(9000, 1000)]).toEqual([1, 0.5]);
});

test('the head of an arrow points along the last part of its line', () => {
  expect(
    arrowHead([
      { x: 0, y: 0 },
      { x: 0, y: 20 },
    ]),
  ).toBe('M-4.5 11L0 20L4.5 11z');
  expect(arrowHead([{ x: 0, y: 0 }])).toBeUndefined();
});

describe('two compared flows', () => {
  const { right: _right, ...others } = flow.nodes;
  const now = {
    ...flow,
    nodes: {
      ...others,
      which: { type: 'switch', cases: [{ when: '{{ a }}', next: 'left' }], default: 'extra' },
      left: { next: 'each', output: 1, type: 'transform' },
      each: {
        ...flow.nodes.each,
        body: { start: 'one', nodes: { one: { type: 'transform', output: 7, next: 'two' }, two: end } },
      },
      extra: { type: 'fail', message: 'x' },
    },
  };
  const graphs = [graphOf(flow), graphOf(now)] as const;
  const merged = mergeGraphs(...graphs);
  const marks = markChanges(merged, flow, now, graphs);

  test('mark what was added, removed and changed, also inside nodes, whatever the order of keys', () => {
    const labels = [...marks.nodes].map(([id, { label }]) => `${id}: ${label}`).sort();
    expect(labels).toEqual(['extra: Added', 'one: Changed', 'right: Removed', 'which: Changed']);
  });

  test('mark edges that came and went', () => {
    expect(Object.fromEntries(marks.edges)).toEqual({
      'which > extra': 'added',
      'which > right': 'removed',
      'right > which': 'removed',
    });
  });
});
