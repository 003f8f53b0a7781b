// Where everything of a graph goes: layers from the start downwards, graphs inside nodes laid out first and set into their node as a box.
import { Graph as LayoutGraph, layout } from '@dagrejs/dagre';
import type { Graph, GraphEdge, GraphNode } from './graph.ts';
import { shortened, widthOf } from './text.ts';

export interface Placed {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
}

/** Coordinates are those of the placed graph that holds it; `x` and `y` are the top left corner. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface PlacedNode extends Box {
  readonly node: GraphNode;
  readonly isStart: boolean;
  readonly heading: string;
  /** At the right of its second line; empty if there is nothing to say. */
  readonly note: string;
  readonly inside: readonly PlacedBlock[];
}

/** Its place is relative to the node. */
export interface PlacedBlock extends Box {
  readonly name: string;
  readonly placed: Placed;
}

export interface PlacedEdge {
  readonly edge: GraphEdge;
  readonly points: readonly Point[];
  readonly label: string;
  readonly labelAt: Point;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export const sizes = {
  heading: 13,
  /** How much wider bold text is. */
  boldness: 1.1,
  small: 11,
  nodeHeight: 48,
  nodeWidthMin: 120,
  blockTop: 24,
  gap: 14,
  labelCharsMax: 32,
  headingCharsMax: 34,
} as const;

/** `notes` are short texts that stand on nodes, by id. */
export function placed(graph: Graph, notes: ReadonlyMap<string, string> = new Map()): Placed {
  const nodes = graph.nodes.map((node) => sized(node, notes));
  const canvas = new LayoutGraph<Size, Size & Point, Label>({ multigraph: true });
  canvas.setGraph({ rankdir: 'TB', nodesep: 32, ranksep: 36, edgesep: 16, marginx: 16, marginy: 24 });
  // The first node is where the search for loops begins, so that a way back is drawn as one.
  for (const { node, width, height } of startFirst(nodes, graph.start))
    canvas.setNode(node.id, { width, height });
  for (const [index, edge] of graph.edges.entries())
    canvas.setEdge({ v: edge.from, w: edge.to, name: String(index) }, labelBox(edge));
  layout(canvas);
  const { width, height } = canvas.graph();
  const boxes = nodes.map((box): PlacedNode => {
    const { x, y } = canvas.node(box.node.id);
    return { ...box, x: x - box.width / 2, y: y - box.height / 2, isStart: box.node.id === graph.start };
  });
  const boxOf = new Map(boxes.map((box) => [box.node.id, box]));
  return {
    width: Math.ceil(width),
    height: Math.ceil(height),
    nodes: boxes,
    edges: graph.edges.map((edge, index) => {
      const { x, y, points, text } = canvas.edge({ v: edge.from, w: edge.to, name: String(index) });
      const ends = [boxOf.get(edge.from), boxOf.get(edge.to)] as const;
      return { edge, points: docked(points, ...ends), label: text, labelAt: { x, y } };
    }),
  };
}

/** At the top or the bottom of its nodes: a way that left a node at its side would run through the nodes beside it. */
function docked(points: readonly Point[], from: Box | undefined, to: Box | undefined): readonly Point[] {
  const [first, second] = points;
  const [last, before] = [points.at(-1), points.at(-2)];
  if (!first || !second || !last || !before || !from || !to) return points;
  return [end(first, second, from), ...points.slice(1, -1), end(last, before, to)];
}

function end(point: Point, neighbour: Point, { x, y, width, height }: Box): Point {
  const inset = Math.max(x + sizes.gap, Math.min(point.x, x + width - sizes.gap));
  if (neighbour.y >= y + height) return { x: inset, y: y + height };
  return neighbour.y <= y ? { x: inset, y } : point;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Label extends Size {
  readonly text: string;
  readonly labelpos: 'c';
  /** Filled in by the layout. */
  readonly x: number;
  readonly y: number;
  readonly points: readonly Point[];
}

type SizedNode = Omit<PlacedNode, 'x' | 'y' | 'isStart'>;

const startFirst = (nodes: readonly SizedNode[], start: string) => [
  ...nodes.filter(({ node }) => node.id === start),
  ...nodes.filter(({ node }) => node.id !== start),
];

/** Graphs inside stand beside each other under the heading. */
function sized(node: GraphNode, notes: ReadonlyMap<string, string>): SizedNode {
  const heading = shortened(node.title ?? node.id, sizes.headingCharsMax);
  const note = notes.get(node.id) ?? '';
  const labels = { node, heading, note };
  const noteWidth = note === '' ? 0 : noteWidthOf(note) + sizes.gap;
  const lines = [
    widthOf(heading, sizes.heading) * sizes.boldness,
    widthOf(`${node.type} · ${node.id}`, sizes.small) + noteWidth,
  ];
  const ownWidth = Math.max(sizes.nodeWidthMin, ...lines.map((width) => width + 36));
  const inside: PlacedBlock[] = [];
  let x: number = sizes.gap;
  for (const { name, graph } of node.inside) {
    const inner = placed(graph, notes);
    const width = Math.max(inner.width, widthOf(name, sizes.small) + 24);
    const height = inner.height + sizes.blockTop;
    inside.push({ name, placed: inner, x, y: sizes.nodeHeight, width, height });
    x += width + sizes.gap;
  }
  if (inside.length === 0) return { ...labels, inside, width: ownWidth, height: sizes.nodeHeight };
  const tallest = Math.max(...inside.map(({ height }) => height));
  return {
    ...labels,
    inside,
    width: Math.max(ownWidth, x),
    height: sizes.nodeHeight + tallest + sizes.gap,
  };
}

/** With room at its ends. */
export const noteWidthOf = (note: string): number => widthOf(note, sizes.small) + 12;

function labelBox({ label }: GraphEdge): Label {
  const text = shortened(label, sizes.labelCharsMax);
  const box = text === '' ? { width: 0, height: 0 } : { width: widthOf(text, sizes.small) + 8, height: 16 };
  return { ...box, text, labelpos: 'c', x: 0, y: 0, points: [] };
}
