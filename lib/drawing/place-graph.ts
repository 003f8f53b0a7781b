// Positions a graph: rows from the start downwards, lines around the boxes, blocks inside the box of their node. An
// engine computes the layout: of this process (layout.ts), or of a worker of the browser.
import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js';
import { blockKey, dotKey, elkGraph, entryKey, lineKey, nodeKey } from './elk-graph.ts';
import { paddingOptions } from './elk-options.ts';
import type { Graph } from './graph.ts';
import { buildScene, type Scene, type SceneBox, type SceneLine, type Size, wrapHeading } from './scene.ts';
import { sizes } from './sizes.ts';

/** `x` and `y` are the top left corner, relative to the graph that contains the box. */
export interface Box extends Size, Point {}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface PlacedGraph extends Size {
  readonly dot: Box;
  readonly entry: readonly Point[];
  readonly boxes: readonly PlacedBox[];
  readonly lines: readonly PlacedLine[];
}

export interface PlacedBox extends Omit<SceneBox, 'inside'>, Box {
  readonly inside: readonly PlacedBlock[];
}

/** Positioned relative to the box that contains it. */
export interface PlacedBlock extends Box {
  readonly name: string;
  readonly graph: PlacedGraph;
}

export interface PlacedLine extends Omit<SceneLine, 'width' | 'height'> {
  readonly points: readonly Point[];
  readonly labelBox: Box;
}

export type LayoutEngine = (graph: ElkNode) => Promise<ElkNode>;

/** `notes` are short texts to show on nodes, by node id. */
export async function placeGraph(
  graph: Graph,
  engine: LayoutEngine,
  notes: ReadonlyMap<string, string> = new Map(),
): Promise<PlacedGraph> {
  const scene = buildScene(graph, notes);
  return placeScene(scene, await engine(elkGraph(scene, '', paddingOptions(8, sizes.margin))));
}

function placeScene(
  { boxes, lines }: Scene,
  { id, width = 0, height = 0, ...laidOut }: ElkNode,
): PlacedGraph {
  const nodes = new Map(laidOut.children?.map((node) => [node.id, node]));
  const routes = new Map(laidOut.edges?.map((route) => [route.id, route]));
  return {
    width,
    height,
    dot: toBox(nodes.get(dotKey(id))),
    entry: listPoints(routes.get(entryKey(id))),
    boxes: boxes.map((box) => placeBox(box, nodes.get(nodeKey(id, box.node.id)))),
    lines: lines.map(({ edge, label }, index) => {
      const route = routes.get(lineKey(id, index));
      return { edge, label, points: listPoints(route), labelBox: toBox(route?.labels?.[0]) };
    }),
  };
}

function placeBox(box: SceneBox, node: ElkNode | undefined): PlacedBox {
  const blocks = new Map(node?.children?.map((block) => [block.id, block]));
  const position = toBox(node);
  return {
    ...box,
    ...position,
    heading: wrapHeading(box.node, position.width - sizes.boxSides),
    inside: box.inside.flatMap(({ name, scene }, index) => {
      const block = blocks.get(blockKey(node?.id ?? '', index));
      return block ? [{ name, graph: placeScene(scene, block), ...toBox(block) }] : [];
    }),
  };
}

const toBox = ({ x = 0, y = 0, width = 0, height = 0 }: Partial<Box> = {}): Box => ({ x, y, width, height });

const listPoints = (edge: ElkExtendedEdge | undefined): readonly Point[] =>
  edge?.sections?.flatMap(({ startPoint, bendPoints = [], endPoint }) => [
    startPoint,
    ...bendPoints,
    endPoint,
  ]) ?? [];
