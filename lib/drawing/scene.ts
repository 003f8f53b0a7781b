// The contents of a drawing before the layout: boxes with their texts and the minimum size, lines with their
// labels.

import { describeEdges, type EdgeText, formatLabel } from './edge-labels.ts';
import { type DrawnEdge, divideEdges } from './edges.ts';
import type { Graph, GraphNode } from './graph.ts';
import { fonts, sizes } from './sizes.ts';
import { measureText, wrapText } from './text.ts';

export interface Scene {
  readonly start: string;
  readonly boxes: readonly SceneBox[];
  readonly lines: readonly SceneLine[];
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface SceneBox extends Size {
  readonly node: GraphNode;
  readonly heading: readonly string[];
  /** The edges that are not drawn as lines. */
  readonly edgeTexts: readonly EdgeText[];
  /** Shown to the right of the type; empty for none. */
  readonly note: string;
  readonly inside: readonly SceneBlock[];
}

export interface SceneBlock {
  readonly name: string;
  readonly scene: Scene;
}

export interface SceneLine extends Size {
  readonly edge: DrawnEdge;
  readonly label: readonly string[];
}

/** `notes` are short texts to show on nodes, by node id. */
export function buildScene(graph: Graph, notes: ReadonlyMap<string, string>): Scene {
  const { lines, texts } = divideEdges(graph);
  const [out, into] = [Map.groupBy(lines, ({ from }) => from), Map.groupBy(lines, ({ to }) => to)];
  const countEnds = (id: string) => Math.max(out.get(id)?.length ?? 0, into.get(id)?.length ?? 0);
  return {
    start: graph.start,
    boxes: graph.nodes.map((node) => buildBox(node, texts.get(node.id) ?? [], countEnds(node.id), notes)),
    lines: lines.map(buildLine),
  };
}

function buildBox(
  node: GraphNode,
  edges: readonly DrawnEdge[],
  lineEnds: number,
  notes: ReadonlyMap<string, string>,
): SceneBox {
  const note = notes.get(node.id) ?? '';
  const edgeTexts = describeEdges(edges);
  const noteWidth = note === '' ? 0 : measureNote(note) + sizes.gap;
  const textWidth = Math.max(
    lineEnds * sizes.lineGap,
    Math.min(measureText(nodeTitle(node), fonts.heading), sizes.textWidth),
    measureText(typeLine(node), fonts.small) + noteWidth,
    ...node.parts.map((part) => measureText(cutPart(part), fonts.small)),
    ...edgeTexts.map(({ text }) => measureText(text, fonts.small)),
  );
  const heading = wrapHeading(node, textWidth);
  return {
    node,
    heading,
    edgeTexts,
    note,
    inside: node.inside.map(({ name, graph }) => ({ name, scene: buildScene(graph, notes) })),
    width: Math.max(sizes.boxWidthMin, textWidth + sizes.boxSides),
    height: textHeight(heading.length, node.parts.length + edgeTexts.length),
  };
}

/** The height of a box without blocks. */
const textHeight = (headingLines: number, smallLines: number) =>
  sizes.boxHeightMin + (headingLines - 1) * sizes.headingLine + smallLines * sizes.smallLine;

const nodeTitle = ({ title, id }: GraphNode) => title?.trim() || id;

/** `width` is that of the box, which may be more than the heading needs. */
export const wrapHeading = (node: GraphNode, width: number): string[] =>
  wrapText(nodeTitle(node), fonts.heading, width, sizes.headingLinesMax);

/** A part in one line. */
export const cutPart = (part: string): string => wrapText(part, fonts.small, sizes.textWidth, 1).join('');

export const typeLine = ({ type, id }: GraphNode): string => `${type} · ${id}`;

/** The width of a note with its padding. */
export const measureNote = (note: string): number => measureText(note, fonts.small) + 12;

function buildLine(edge: DrawnEdge): SceneLine {
  const label = formatLabel(edge);
  const width = Math.max(0, ...label.map((line) => measureText(line, fonts.small) + 8));
  return { edge, label, width, height: label.length * sizes.smallLine + 2 };
}
