// Writes a scene as a graph of the layout library. Blocks are graphs inside nodes; the start is a dot with a
// line to the first node.
import type { ElkExtendedEdge, ElkLabel, ElkNode, LayoutOptions } from 'elkjs/lib/elk-api.js';
import {
  alignTop,
  inlineLabel,
  minimumSize,
  packingOptions,
  paddingOptions,
  rowOptions,
} from './elk-options.ts';
import { readingOrder } from './reading-order.ts';
import type { Scene, SceneBlock, SceneBox, SceneLine } from './scene.ts';
import { fonts, sizes } from './sizes.ts';
import { measureText } from './text.ts';

/**
 * Keys are paths, so that they are unique among all graphs. The id of a node is never empty; an empty id
 * means the dot.
 */
export const nodeKey = (graph: string, node: string): string => `${graph}/${node}`;
export const dotKey = (graph: string): string => nodeKey(graph, '');
export const entryKey = (graph: string): string => `${graph}>`;
export const lineKey = (graph: string, index: number): string => `${graph}>${index}`;
export const blockKey = (node: string, index: number): string => `${node}#${index}`;

export const elkGraph = (scene: Scene, id: string, options: LayoutOptions): ElkNode => ({
  id,
  children: [dot(id), ...sortBoxes(scene).map((box) => elkNode(box, id))],
  edges: [entry(scene, id), ...scene.lines.map((line, index) => elkEdge(line, id, index))],
  layoutOptions: { ...rowOptions(scene.boxes.length), ...options },
});

const dot = (graph: string): ElkNode => ({ id: dotKey(graph), width: sizes.dot, height: sizes.dot });

const entry = ({ start }: Scene, graph: string): ElkExtendedEdge => ({
  id: entryKey(graph),
  sources: [dotKey(graph)],
  targets: [nodeKey(graph, start)],
});

/** In this order, an edge to a node that is read later is drawn downwards, and only the others upwards. */
function sortBoxes({ start, boxes, lines }: Scene): SceneBox[] {
  const nodes = boxes.map(({ node }) => node);
  const { ids } = readingOrder({ start, nodes, edges: lines.map(({ edge }) => edge) });
  const positions = new Map(ids.map((id, index) => [id, index]));
  return boxes.toSorted((a, b) => (positions.get(a.node.id) ?? 0) - (positions.get(b.node.id) ?? 0));
}

function elkNode({ node, inside, width, height }: SceneBox, graph: string): ElkNode {
  const id = nodeKey(graph, node.id);
  if (inside.length === 0) return { id, width, height, layoutOptions: alignTop };
  return {
    id,
    children: inside.map((block, index) => elkBlock(block, blockKey(id, index))),
    layoutOptions: {
      ...alignTop,
      ...packingOptions(sizes.gap),
      ...paddingOptions(height, sizes.gap),
      ...minimumSize({ width, height }),
    },
  };
}

const elkBlock = ({ name, scene }: SceneBlock, id: string): ElkNode =>
  elkGraph(scene, id, {
    ...paddingOptions(sizes.blockTop, sizes.gap),
    ...minimumSize({ width: measureText(name, fonts.small) + 2 * sizes.gap, height: 0 }),
  });

const elkEdge = (line: SceneLine, graph: string, index: number): ElkExtendedEdge => ({
  id: lineKey(graph, index),
  sources: [nodeKey(graph, line.edge.from)],
  targets: [nodeKey(graph, line.edge.to)],
  labels: elkLabels(line),
});

const elkLabels = ({ label, width, height }: SceneLine): ElkLabel[] =>
  label.length === 0 ? [] : [{ text: label.join('\n'), width, height, layoutOptions: inlineLabel }];
