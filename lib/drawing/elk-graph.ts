// A scene as the layout library wants it: one graph in which blocks are graphs inside nodes, and the start is a dot with a line of its own.
import type { ElkExtendedEdge, ElkLabel, ElkNode, LayoutOptions } from 'elkjs/lib/elk-api.js';
import { atLeast, atTheTop, inRows, onItsLine, padded, sideBySide } from './elk-options.ts';
import { readingOrder } from './reading-order.ts';
import type { Scene, SceneBlock, SceneBox, SceneLine } from './scene.ts';
import { fonts, sizes } from './sizes.ts';
import { widthOf } from './text.ts';

/** Ids are paths, so that no two graphs share one. A node's id is never empty: the empty one is the dot's. */
export const idIn = (graph: string, node: string): string => `${graph}/${node}`;
export const dotIn = (graph: string): string => idIn(graph, '');
export const entryIn = (graph: string): string => `${graph}>`;
export const lineIn = (graph: string, index: number): string => `${graph}>${index}`;
export const blockIn = (node: string, index: number): string => `${node}#${index}`;

export const elkGraph = (scene: Scene, id: string, options: LayoutOptions): ElkNode => ({
  id,
  children: [dot(id), ...inOrder(scene).map((box) => elkNode(box, id))],
  edges: [entry(scene, id), ...scene.lines.map((line, index) => elkEdge(line, id, index))],
  layoutOptions: { ...inRows(scene.boxes.length), ...options },
});

const dot = (graph: string): ElkNode => ({ id: dotIn(graph), width: sizes.dot, height: sizes.dot });

const entry = ({ start }: Scene, graph: string): ElkExtendedEdge => ({
  id: entryIn(graph),
  sources: [dotIn(graph)],
  targets: [idIn(graph, start)],
});

/** So that what leads to a node that is read later is drawn downwards, and only the rest upwards. */
function inOrder({ start, boxes, lines }: Scene): SceneBox[] {
  const nodes = boxes.map(({ node }) => node);
  const { ids } = readingOrder({ start, nodes, edges: lines.map(({ way }) => way) });
  const places = new Map(ids.map((id, place) => [id, place]));
  return boxes.toSorted((a, b) => (places.get(a.node.id) ?? 0) - (places.get(b.node.id) ?? 0));
}

function elkNode({ node, inside, width, height }: SceneBox, graph: string): ElkNode {
  const id = idIn(graph, node.id);
  if (inside.length === 0) return { id, width, height, layoutOptions: atTheTop };
  return {
    id,
    children: inside.map((block, index) => elkBlock(block, blockIn(id, index))),
    layoutOptions: {
      ...atTheTop,
      ...sideBySide(sizes.gap),
      ...padded(height, sizes.gap),
      ...atLeast({ width, height }),
    },
  };
}

const elkBlock = ({ name, scene }: SceneBlock, id: string): ElkNode =>
  elkGraph(scene, id, {
    ...padded(sizes.blockTop, sizes.gap),
    ...atLeast({ width: widthOf(name, fonts.small) + 2 * sizes.gap, height: 0 }),
  });

const elkEdge = (line: SceneLine, graph: string, index: number): ElkExtendedEdge => ({
  id: lineIn(graph, index),
  sources: [idIn(graph, line.way.from)],
  targets: [idIn(graph, line.way.to)],
  labels: elkLabels(line),
});

const elkLabels = ({ label, width, height }: SceneLine): ElkLabel[] =>
  label.length === 0 ? [] : [{ text: label.join('\n'), width, height, layoutOptions: onItsLine }];
