// The geometric rules of every picture. Each violation is a line of text, so that a test can expect none.
import type { Box, PlacedBox, PlacedGraph, PlacedLine, Point } from '#lib/drawing/place-graph.ts';
import { cutPart, measureNote, typeLine } from '#lib/drawing/scene.ts';
import { fonts, sizes } from '#lib/drawing/sizes.ts';
import { measureText } from '#lib/drawing/text.ts';

/** Tolerance for comparing coordinates: half the thickness of a line. */
const tolerance = 0.5;

/** A box, a label or a point, with a name for messages. */
interface NamedBox extends Box {
  readonly name: string;
}

export const findViolations = (graph: PlacedGraph): string[] => [
  ...overlaps([...listBoxes(graph), ...listLabels(graph), { name: 'the dot', ...graph.dot }]),
  ...outside(graph),
  ...graph.lines.flatMap((line) => [...linesThroughBoxes(line, graph), ...looseEnds(line, graph)]),
  ...graph.boxes.flatMap((box) => [...cutTexts(box), ...violationsInside(box)]),
  ...graph.lines.flatMap(cutLabel),
];

const listBoxes = ({ boxes }: PlacedGraph): NamedBox[] =>
  boxes.map((box) => ({ ...box, name: `box ${box.node.id}` }));

const lineName = ({ edge: { from, to, kind } }: PlacedLine) => `${from} ${kind} ${to}`;

const listLabels = ({ lines }: PlacedGraph): NamedBox[] =>
  lines
    .filter(({ label }) => label.length > 0)
    .map((line) => ({ ...line.labelBox, name: `label of ${lineName(line)}` }));

function overlaps(items: readonly NamedBox[]): string[] {
  return items.flatMap((one, index) =>
    items
      .slice(index + 1)
      .filter((other) => isOver(one, other))
      .map((other) => `${one.name} overlaps ${other.name}`),
  );
}

const isOver = (a: Box, b: Box) =>
  a.x + a.width - b.x > tolerance &&
  b.x + b.width - a.x > tolerance &&
  a.y + a.height - b.y > tolerance &&
  b.y + b.height - a.y > tolerance;

function outside(graph: PlacedGraph): string[] {
  const frame = { x: 0, y: 0, width: graph.width, height: graph.height };
  const points = [graph.entry, ...graph.lines.map(({ points }) => points)].flat();
  const items = [...listBoxes(graph), ...listLabels(graph), ...points.map(pointBox)];
  return items.filter((item) => !isWithin(item, frame)).map(({ name }) => `${name} is outside the picture`);
}

const pointBox = ({ x, y }: Point): NamedBox => ({ name: `the point ${x} ${y}`, x, y, width: 0, height: 0 });

const isWithin = (inner: Box, outer: Box) =>
  inner.x >= outer.x - tolerance &&
  inner.y >= outer.y - tolerance &&
  inner.x + inner.width <= outer.x + outer.width + tolerance &&
  inner.y + inner.height <= outer.y + outer.height + tolerance;

/** A line must not run through any box, nor through the label of another line. */
function linesThroughBoxes(line: PlacedLine, graph: PlacedGraph): string[] {
  const own = `label of ${lineName(line)}`;
  const items = [...listBoxes(graph), ...listLabels(graph).filter(({ name }) => name !== own)];
  const segments = line.points.slice(1).map((end, index) => between(line.points[index] ?? end, end));
  const slanted = segments.filter(({ width, height }) => Math.min(width, height) > tolerance);
  return [
    ...slanted.map(({ x, y }) => `${lineName(line)} is slanted at ${x} ${y}`),
    ...items
      .filter((item) => segments.some((segment) => isOver(segment, item)))
      .map(({ name }) => `${lineName(line)} runs through ${name}`),
  ];
}

/** A horizontal or vertical segment is a box without height or width. */
const between = (a: Point, b: Point): Box => ({
  x: Math.min(a.x, b.x),
  y: Math.min(a.y, b.y),
  width: Math.abs(a.x - b.x),
  height: Math.abs(a.y - b.y),
});

/** A line ends at the top or the bottom of a box; only a line from a box to itself ends at its side. */
function looseEnds({ edge, points }: PlacedLine, { boxes }: PlacedGraph): string[] {
  const ends = [
    [edge.from, points[0]],
    [edge.to, points.at(-1)],
  ] as const;
  const isLoop = edge.from === edge.to;
  return ends
    .filter(([id, point]) => {
      const box = boxes.find(({ node }) => node.id === id);
      return !box || !point || !isAtEdge(point, box, isLoop);
    })
    .map(([id]) => `${edge.from} ${edge.kind} ${edge.to} does not end at ${id}`);
}

function isAtEdge({ x, y }: Point, box: Box, isSide: boolean): boolean {
  const isNear = (a: number, b: number) => Math.abs(a - b) <= tolerance;
  const isAtSide = isNear(x, box.x) || isNear(x, box.x + box.width);
  const isAtTopOrBottom = isNear(y, box.y) || isNear(y, box.y + box.height);
  return isWithin(pointBox({ x, y }), box) && (isSide ? isAtSide : isAtTopOrBottom);
}

function cutTexts({ node, heading, edgeTexts, note, width }: PlacedBox): string[] {
  const noteWidth = note === '' ? 0 : measureNote(note);
  const widths = [
    ...heading.map((line) => [line, measureText(line, fonts.heading)] as const),
    [typeLine(node), measureText(typeLine(node), fonts.small) + noteWidth] as const,
    ...node.parts.map(cutPart).map((part) => [part, measureText(part, fonts.small)] as const),
    ...edgeTexts.map(({ text }) => [text, measureText(text, fonts.small)] as const),
  ];
  const room = width - sizes.boxSides + tolerance;
  return widths.filter(([, taken]) => taken > room).map(([text]) => `"${text}" is cut in box ${node.id}`);
}

const cutLabel = ({ label, labelBox, edge }: PlacedLine): string[] =>
  label
    .filter((text) => measureText(text, fonts.small) > labelBox.width)
    .map((text) => `"${text}" is cut on the edge from ${edge.from} to ${edge.to}`);

function violationsInside({ node, inside, heading, edgeTexts, ...box }: PlacedBox): string[] {
  const blocks = inside.map((block) => ({ ...block, name: `block ${block.name}` }));
  const linesMore =
    (heading.length - 1) * sizes.headingLine + (node.parts.length + edgeTexts.length) * sizes.smallLine;
  const texts = { name: 'its texts', x: 0, y: 0, width: box.width, height: sizes.boxHeightMin + linesMore };
  const faults = [
    ...overlaps([...blocks, texts]),
    ...blocks
      .filter((block) => !isWithin(block, { ...box, x: 0, y: 0 }))
      .map(({ name }) => `${name} is outside its box`),
    ...blocks.flatMap(({ graph }) => findViolations(graph)),
  ];
  return faults.map((fault) => `in ${node.id}: ${fault}`);
}
