// Writes a placed graph as SVG. The same graph gives the same text, byte for byte.

import type { Told } from './edge-labels.ts';
import type { Way } from './edges.ts';
import { edgeKey, type Taken } from './executed-path.ts';
import type { Box, Placed, PlacedBlock, PlacedBox, PlacedLine } from './layout.ts';
import { linePath, n } from './line-path.ts';
import { noteWidthOf, typeLine } from './scene.ts';
import { fonts, sizes } from './sizes.ts';
import { familyOf, styleSheet } from './style.ts';
import { escaped, widthOf } from './text.ts';

/** With `taken`, what a run went through stands out and the rest steps back. */
export function svgOf(placed: Placed, name: string, taken?: Taken): string {
  const caption = taken?.ending ?? '';
  const width = Math.max(placed.width, widthOf(name, fonts.name) + 32, widthOf(caption, fonts.small) + 32);
  const height = headHeight + placed.height + (caption === '' ? 0 : captionHeight);
  const size = `width="${n(width)}" height="${n(height)}"`;
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${n(width)} ${n(height)}" ${size} role="img" aria-labelledby="name">`,
    `<title id="name">${escaped(name)}</title>`,
    `<style>${styleSheet}</style>`,
    `<defs>${arrow('arrow', '')}${arrow('arrow-taken', ' taken')}</defs>`,
    `<rect class="ground" ${size}/>`,
    `<text class="name" x="16" y="28">${escaped(name)}</text>`,
    `<g transform="translate(${n((width - placed.width) / 2)} ${headHeight})">`,
    ...drawn(placed, taken),
    '</g>',
    caption && `<text class="small" x="16" y="${n(height - 12)}">${escaped(caption)}</text>`,
    '</svg>',
  ];
  return `${lines.filter((line) => line !== '').join('\n')}\n`;
}

const headHeight = 40;
const captionHeight = 24;

const arrow = (id: string, look: string) =>
  `<marker id="${id}" viewBox="0 0 10 10" refX="9" refY="5" markerUnits="userSpaceOnUse" markerWidth="9" markerHeight="9" orient="auto"><path class="head${look}" d="M0 1 10 5 0 9z"/></marker>`;

const drawn = ({ dot, entry, lines, boxes }: Placed, taken: Taken | undefined): string[] => [
  `<circle class="start" cx="${n(dot.x + dot.width / 2)}" cy="${n(dot.y + dot.height / 2)}" r="${n(dot.width / 2)}"/>`,
  `<path class="edge" d="${linePath(entry)}" marker-end="url(#arrow)"/>`,
  ...lines.map((line) => linePathOf(line, taken)),
  ...boxes.flatMap((box) => boxLines(box, taken)),
  ...lines.flatMap((line) => labelLines(line, taken)),
];

const isTaken = ({ from, to, kind }: Way, taken: Taken | undefined) =>
  taken?.edges.has(edgeKey(from, to, kind === 'catch')) ?? false;

function linePathOf({ way, points }: PlacedLine, taken: Taken | undefined): string {
  const isDashed = way.kind === 'catch' || way.kind === 'timeout';
  const isOnTheWay = isTaken(way, taken);
  const look = `${isDashed ? ' dashed' : ''}${isOnTheWay ? ' taken' : taken ? ' passed' : ''}`;
  const end = isOnTheWay ? 'arrow-taken' : 'arrow';
  return `<path class="edge${look}" d="${linePath(points)}" marker-end="url(#${end})"/>`;
}

/** The whole text is there as a hint, where only its beginning fits. */
function labelLines({ way, label, labelAt }: PlacedLine, taken: Taken | undefined): string[] {
  if (label.length === 0) return [];
  const look = taken && !isTaken(way, taken) ? 'label passed' : 'label';
  const { x, y, width, height } = labelAt;
  const texts = label.map((line, index) => text(look, x + width / 2, y + 12 + index * sizes.smallLine, line));
  const under = `<rect class="under" x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}"/>`;
  return [`<g>${hint(way.labels)}${under}${texts.join('')}</g>`];
}

const hint = (lines: readonly string[]) => `<title>${escaped(lines.join('\n'))}</title>`;

const text = (look: string, x: number, y: number, content: string) =>
  `<text class="${look}" x="${n(x)}" y="${n(y)}">${escaped(content)}</text>`;

function boxLines(box: PlacedBox, taken: Taken | undefined): string[] {
  const { node, heading, told, note, inside, x, y, width, height } = box;
  const visited = taken?.nodes.get(node.id);
  const look = visited ? (visited.failed ? ' taken failed' : ' taken') : taken ? ' passed' : '';
  const typeAt = 21 + heading.length * sizes.headingLine;
  const textsEnd = typeAt + told.length * sizes.smallLine;
  return [
    `<g class="${familyOf(node.type)}${look}" transform="translate(${n(x)} ${n(y)})">`,
    hint([node.title ?? node.id]),
    card({ width, height }),
    `<rect class="mark" x="6" y="10" width="4" height="${n(textsEnd + 1 - 10)}" rx="2"/>`,
    ...heading.map((line, index) => text('heading', 18, 21 + index * sizes.headingLine, line)),
    text('small', 18, typeAt, typeLine(node)),
    ...told.map((each, index) => toldLine(each, typeAt + (index + 1) * sizes.smallLine, taken)),
    ...inside.flatMap((block) => blockLines(block, taken)),
    note === '' ? '' : noteLines(note, width, typeAt),
    '</g>',
  ].filter((line) => line !== '');
}

const card = ({ width, height }: Pick<Box, 'width' | 'height'>) =>
  `<rect class="card" width="${n(width)}" height="${n(height)}" rx="7"/>`;

function toldLine({ text: words, ways }: Told, y: number, taken: Taken | undefined): string {
  const look = taken ? (ways.some((way) => isTaken(way, taken)) ? ' taken' : ' passed') : '';
  const all = ways.map(({ labels, to }) => `${labels.join(', ')} → ${to}`.trimStart());
  return `<g>${hint(all)}${text(`small told${look}`, 18, y, words)}</g>`;
}

const blockLines = (
  { name, placed, x, y, width, height }: PlacedBlock,
  taken: Taken | undefined,
): string[] => [
  `<g class="inside" transform="translate(${n(x)} ${n(y)})">`,
  `<rect class="block" width="${n(width)}" height="${n(height)}" rx="5"/>${text('small', 10, 16, name)}`,
  ...drawn(placed, taken),
  '</g>',
];

function noteLines(note: string, boxWidth: number, baseline: number): string {
  const width = noteWidthOf(note);
  return `<g class="note" transform="translate(${n(boxWidth - width - 8)} ${n(baseline - 12)})"><rect width="${n(width)}" height="17" rx="8.5"/>${text('', width / 2, 12.5, note)}</g>`;
}
