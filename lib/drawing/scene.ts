// What stands in a drawing before anything has its place: boxes with their texts and the least size these need, and lines with their labels.

import { labelOf, type Told, toldOf } from './edge-labels.ts';
import { type Way, waysOf } from './edges.ts';
import type { Graph, GraphNode } from './graph.ts';
import { fonts, sizes } from './sizes.ts';
import { widthOf, wrapped } from './text.ts';

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
  /** Ways that are not drawn as lines. */
  readonly told: readonly Told[];
  /** At the right of the line with the type; empty if there is nothing to say. */
  readonly note: string;
  readonly inside: readonly SceneBlock[];
}

export interface SceneBlock {
  readonly name: string;
  readonly scene: Scene;
}

export interface SceneLine extends Size {
  readonly way: Way;
  readonly label: readonly string[];
}

/** `notes` are short texts that stand on nodes, by id. */
export function sceneOf(graph: Graph, notes: ReadonlyMap<string, string>): Scene {
  const { lines, told } = waysOf(graph);
  const [out, into] = [Map.groupBy(lines, ({ from }) => from), Map.groupBy(lines, ({ to }) => to)];
  const endsAt = (id: string) => Math.max(out.get(id)?.length ?? 0, into.get(id)?.length ?? 0);
  return {
    start: graph.start,
    boxes: graph.nodes.map((node) => boxOf(node, told.get(node.id) ?? [], endsAt(node.id), notes)),
    lines: lines.map(lineOf),
  };
}

function boxOf(
  node: GraphNode,
  ways: readonly Way[],
  ends: number,
  notes: ReadonlyMap<string, string>,
): SceneBox {
  const note = notes.get(node.id) ?? '';
  const told = toldOf(ways);
  const noteWidth = note === '' ? 0 : noteWidthOf(note) + sizes.gap;
  const textWidth = Math.max(
    ends * sizes.lineGap,
    Math.min(widthOf(titleOf(node), fonts.heading), sizes.textWidth),
    widthOf(typeLine(node), fonts.small) + noteWidth,
    ...told.map(({ text }) => widthOf(text, fonts.small)),
  );
  const heading = headingOf(node, textWidth);
  return {
    ...{ node, heading, told, note },
    inside: node.inside.map(({ name, graph }) => ({ name, scene: sceneOf(graph, notes) })),
    width: Math.max(sizes.boxWidthMin, textWidth + sizes.boxSides),
    height: textHeight(heading.length, told.length),
  };
}

/** Of the texts in a box, which are all there is in most. */
const textHeight = (headingLines: number, toldLines: number) =>
  sizes.boxHeightMin + (headingLines - 1) * sizes.headingLine + toldLines * sizes.smallLine;

const titleOf = ({ title, id }: GraphNode) => title?.trim() || id;

/** With the room that the box has, which may be more than the heading asked for. */
export const headingOf = (node: GraphNode, width: number): string[] =>
  wrapped(titleOf(node), fonts.heading, width, sizes.headingLinesMax);

export const typeLine = ({ type, id }: GraphNode): string => `${type} · ${id}`;

/** With room at its ends. */
export const noteWidthOf = (note: string): number => widthOf(note, fonts.small) + 12;

function lineOf(way: Way): SceneLine {
  const label = labelOf(way);
  const width = Math.max(0, ...label.map((line) => widthOf(line, fonts.small) + 8));
  return { way, label, width, height: label.length * sizes.smallLine + 2 };
}
