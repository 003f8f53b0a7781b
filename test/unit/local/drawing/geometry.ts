// What must hold of any placed graph, as geometry. Every breach is a line of text, so that a test can expect
// none.
import type { Box, Placed, PlacedBox, PlacedLine, Point } from '#lib/drawing/layout.ts';
import { noteWidthOf, typeLine } from '#lib/drawing/scene.ts';
import { fonts, sizes } from '#lib/drawing/sizes.ts';
import { widthOf } from '#lib/drawing/text.ts';

/** Coordinates are compared with this much play: half of what a line is thick. */
const play = 0.5;

/**
 * A thing that takes up room, and those that may take up the same: a label lies on its line, which ends at
 * its boxes.
 */
interface Thing extends Box {
  readonly name: string;
}

export const findBreaches = (placed: Placed): string[] => [
  ...overlaps([...listBoxes(placed), ...listLabels(placed), { name: 'the dot', ...placed.dot }]),
  ...outside(placed),
  ...placed.lines.flatMap((line) => [...linesThroughThings(line, placed), ...looseEnds(line, placed)]),
  ...placed.boxes.flatMap((box) => [...cutTexts(box), ...breachesInside(box)]),
  ...placed.lines.flatMap(cutLabel),
];

const listBoxes = ({ boxes }: Placed): Thing[] =>
  boxes.map((box) => ({ ...box, name: `box ${box.node.id}` }));

const lineName = ({ way: { from, to, kind } }: PlacedLine) => `${from} ${kind} ${to}`;

const listLabels = ({ lines }: Placed): Thing[] =>
  lines
    .filter(({ label }) => label.length > 0)
    .map((line) => ({ ...line.labelAt, name: `label of ${lineName(line)}` }));

function overlaps(things: readonly Thing[]): string[] {
  return things.flatMap((one, index) =>
    things
      .slice(index + 1)
      .filter((other) => isOver(one, other))
      .map((other) => `${one.name} overlaps ${other.name}`),
  );
}

const isOver = (a: Box, b: Box) =>
  a.x + a.width - b.x > play &&
  b.x + b.width - a.x > play &&
  a.y + a.height - b.y > play &&
  b.y + b.height - a.y > play;

function outside(placed: Placed): string[] {
  const frame = { x: 0, y: 0, width: placed.width, height: placed.height };
  const points = [placed.entry, ...placed.lines.map(({ points }) => points)].flat();
  const things = [...listBoxes(placed), ...listLabels(placed), ...points.map(pointBox)];
  return things
    .filter((thing) => !isWithin(thing, frame))
    .map(({ name }) => `${name} is outside the picture`);
}

const pointBox = ({ x, y }: Point): Thing => ({ name: `the point ${x} ${y}`, x, y, width: 0, height: 0 });

const isWithin = (inner: Box, outer: Box) =>
  inner.x >= outer.x - play &&
  inner.y >= outer.y - play &&
  inner.x + inner.width <= outer.x + outer.width + play &&
  inner.y + inner.height <= outer.y + outer.height + play;

/** Through a box, be it one of its own, or through the label of another line. */
function linesThroughThings(line: PlacedLine, placed: Placed): string[] {
  const own = `label of ${lineName(line)}`;
  const things = [...listBoxes(placed), ...listLabels(placed).filter(({ name }) => name !== own)];
  const segments = line.points.slice(1).map((end, index) => between(line.points[index] ?? end, end));
  const slanted = segments.filter(({ width, height }) => Math.min(width, height) > play);
  return [
    ...slanted.map(({ x, y }) => `${lineName(line)} is slanted at ${x} ${y}`),
    ...things
      .filter((thing) => segments.some((segment) => isOver(segment, thing)))
      .map(({ name }) => `${lineName(line)} runs through ${name}`),
  ];
}

/** A segment that is level or upright is a box without height or width. */
const between = (a: Point, b: Point): Box => ({
  x: Math.min(a.x, b.x),
  y: Math.min(a.y, b.y),
  width: Math.abs(a.x - b.x),
  height: Math.abs(a.y - b.y),
});

/**
 * At the top or the bottom, clear of what stands beside; only what leads back to its own node is at the side.
 */
function looseEnds({ way, points }: PlacedLine, { boxes }: Placed): string[] {
  const ends = [
    [way.from, points[0]],
    [way.to, points.at(-1)],
  ] as const;
  const isLoop = way.from === way.to;
  return ends
    .filter(([id, point]) => {
      const box = boxes.find(({ node }) => node.id === id);
      return !box || !point || !isAtEdge(point, box, isLoop);
    })
    .map(([id]) => `${way.from} ${way.kind} ${way.to} does not end at ${id}`);
}

function isAtEdge({ x, y }: Point, box: Box, isSide: boolean): boolean {
  const isNear = (a: number, b: number) => Math.abs(a - b) <= play;
  const isAtSide = isNear(x, box.x) || isNear(x, box.x + box.width);
  const isAtTopOrBottom = isNear(y, box.y) || isNear(y, box.y + box.height);
  return isWithin(pointBox({ x, y }), box) && (isSide ? isAtSide : isAtTopOrBottom);
}

function cutTexts({ node, heading, told, note, width }: PlacedBox): string[] {
  const noteWidth = note === '' ? 0 : noteWidthOf(note);
  const widths = [
    ...heading.map((line) => [line, widthOf(line, fonts.heading)] as const),
    [typeLine(node), widthOf(typeLine(node), fonts.small) + noteWidth] as const,
    ...told.map(({ text }) => [text, widthOf(text, fonts.small)] as const),
  ];
  const room = width - sizes.boxSides + play;
  return widths.filter(([, taken]) => taken > room).map(([text]) => `"${text}" is cut in box ${node.id}`);
}

const cutLabel = ({ label, labelAt, way }: PlacedLine): string[] =>
  label
    .filter((text) => widthOf(text, fonts.small) > labelAt.width)
    .map((text) => `"${text}" is cut on the way from ${way.from} to ${way.to}`);

function breachesInside({ node, inside, heading, told, ...box }: PlacedBox): string[] {
  const blocks = inside.map((block) => ({ ...block, name: `block ${block.name}` }));
  const linesMore = (heading.length - 1) * sizes.headingLine + told.length * sizes.smallLine;
  const texts = { name: 'its texts', x: 0, y: 0, width: box.width, height: sizes.boxHeightMin + linesMore };
  const faults = [
    ...overlaps([...blocks, texts]),
    ...blocks
      .filter((block) => !isWithin(block, { ...box, x: 0, y: 0 }))
      .map(({ name }) => `${name} is outside its box`),
    ...blocks.flatMap(({ placed }) => findBreaches(placed)),
  ];
  return faults.map((fault) => `in ${node.id}: ${fault}`);
}
