// Where everything of a graph goes: rows from the start downwards, lines around the boxes, blocks inside the box of their node.
// The layout is that of ELK: it is large, but it is the one that leads lines around boxes of any size and lays graphs out inside nodes.
import elk, { type ElkExtendedEdge, type ElkNode } from 'elkjs/lib/elk.bundled.js';
import { blockIn, dotIn, elkGraph, entryIn, idIn, lineIn } from './elk-graph.ts';
import { padded } from './elk-options.ts';
import type { Graph } from './graph.ts';
import { headingOf, type Scene, type SceneBox, type SceneLine, type Size, sceneOf } from './scene.ts';
import { sizes } from './sizes.ts';

/** Coordinates are those of the placed graph around it; `x` and `y` are the top left corner. */
export interface Box extends Size, Point {}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Placed extends Size {
  readonly dot: Box;
  readonly entry: readonly Point[];
  readonly boxes: readonly PlacedBox[];
  readonly lines: readonly PlacedLine[];
}

export interface PlacedBox extends Omit<SceneBox, 'inside'>, Box {
  readonly inside: readonly PlacedBlock[];
}

/** Its place is relative to the box around it. */
export interface PlacedBlock extends Box {
  readonly name: string;
  readonly placed: Placed;
}

export interface PlacedLine extends Omit<SceneLine, 'width' | 'height'> {
  readonly points: readonly Point[];
  readonly labelAt: Box;
}

/** `notes` are short texts that stand on nodes, by id. */
export async function placed(graph: Graph, notes: ReadonlyMap<string, string> = new Map()): Promise<Placed> {
  const scene = sceneOf(graph, notes);
  return placedScene(scene, await layouts.layout(elkGraph(scene, '', padded(8, sizes.margin))));
}

/** The library is CommonJS: `default` is a member of what it exports. */
const layouts = new elk.default();

function placedScene({ boxes, lines }: Scene, { id, width = 0, height = 0, ...laidOut }: ElkNode): Placed {
  const nodes = new Map(laidOut.children?.map((node) => [node.id, node]));
  const edges = new Map(laidOut.edges?.map((edge) => [edge.id, edge]));
  return {
    ...{ width, height },
    dot: boxAt(nodes.get(dotIn(id))),
    entry: pointsOf(edges.get(entryIn(id))),
    boxes: boxes.map((box) => placedBox(box, nodes.get(idIn(id, box.node.id)))),
    lines: lines.map(({ way, label }, index) => {
      const edge = edges.get(lineIn(id, index));
      return { way, label, points: pointsOf(edge), labelAt: boxAt(edge?.labels?.[0]) };
    }),
  };
}

function placedBox(box: SceneBox, node: ElkNode | undefined): PlacedBox {
  const blocks = new Map(node?.children?.map((block) => [block.id, block]));
  const place = boxAt(node);
  return {
    ...box,
    ...place,
    heading: headingOf(box.node, place.width - sizes.boxSides),
    inside: box.inside.flatMap(({ name, scene }, index) => {
      const block = blocks.get(blockIn(node?.id ?? '', index));
      return block ? [{ name, placed: placedScene(scene, block), ...boxAt(block) }] : [];
    }),
  };
}

const boxAt = ({ x = 0, y = 0, width = 0, height = 0 }: Partial<Box> = {}): Box => ({ x, y, width, height });

const pointsOf = (edge: ElkExtendedEdge | undefined): readonly Point[] =>
  edge?.sections?.flatMap(({ startPoint, bendPoints = [], endPoint }) => [
    startPoint,
    ...bendPoints,
    endPoint,
  ]) ?? [];
