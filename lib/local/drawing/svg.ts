// Writes a placed graph as SVG. The same graph gives the same text, byte for byte.
import type { GraphEdge } from './graph.ts';
import {
  noteWidthOf,
  type Placed,
  type PlacedBlock,
  type PlacedEdge,
  type PlacedNode,
  type Point,
  sizes,
} from './layout.ts';
import { familyOf, styleSheet } from './style.ts';
import { edgeKey, type Taken } from './taken.ts';
import { escaped, widthOf } from './text.ts';

/** With `taken`, what a run went through stands out and the rest steps back. */
export function svgOf(placed: Placed, name: string, taken?: Taken): string {
  const caption = taken?.ending ?? '';
  const width = Math.max(placed.width, widthOf(name, titleSize) + 32, widthOf(caption, sizes.small) + 32);
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

const titleSize = 16;
const headHeight = 40;
const captionHeight = 24;

/** Coordinates need no more than a tenth of a pixel. */
const n = (value: number) => String(Math.round(value * 10) / 10);

const arrow = (id: string, look: string) =>
  `<marker id="${id}" viewBox="0 0 10 10" refX="9" refY="5" markerUnits="userSpaceOnUse" markerWidth="9" markerHeight="9" orient="auto"><path class="head${look}" d="M0 1 10 5 0 9z"/></marker>`;

const drawn = ({ nodes, edges }: Placed, taken: Taken | undefined): string[] => [
  ...edges.map((edge) => edgeLine(edge, taken)),
  ...nodes.flatMap((node) => nodeLines(node, taken)),
  ...edges.flatMap((edge) => labelLine(edge, taken)),
];

const isTaken = ({ from, to, kind }: GraphEdge, taken: Taken | undefined) =>
  taken?.edges.has(edgeKey(from, to, kind === 'catch')) ?? false;

function edgeLine({ edge, points }: PlacedEdge, taken: Taken | undefined): string {
  const isDashed = edge.kind === 'catch' || edge.kind === 'timeout';
  const isOnTheWay = isTaken(edge, taken);
  const look = `${isDashed ? ' dashed' : ''}${isOnTheWay ? ' taken' : taken ? ' passed' : ''}`;
  const end = isOnTheWay ? 'arrow-taken' : 'arrow';
  return `<path class="edge${look}" d="${curve(points)}" marker-end="url(#${end})"/>`;
}

/** Through the middles between the points, with the points as what the line bends to. */
function curve(points: readonly Point[]): string {
  const at = ({ x, y }: Point) => `${n(x)} ${n(y)}`;
  const [first, ...rest] = points;
  const last = rest.at(-1);
  if (!first || !last) return '';
  const bends = rest.slice(0, -1).map((point, index) => {
    const next = rest[index + 1] ?? last;
    const middle = next === last ? next : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
    return `Q${at(point)} ${at(middle)}`;
  });
  return `M${at(first)}${bends.length > 0 ? bends.join('') : `L${at(last)}`}`;
}

/** The whole text is there as a hint, where only its beginning fits. */
function labelLine({ edge, label, labelAt: { x, y } }: PlacedEdge, taken: Taken | undefined): string[] {
  if (label === '') return [];
  const width = widthOf(label, sizes.small) + 4;
  const look = taken && !isTaken(edge, taken) ? ' class="passed"' : '';
  return [
    `<g${look}><title>${escaped(edge.label)}</title><rect class="under" x="${n(x - width / 2)}" y="${n(y - 8)}" width="${n(width)}" height="16"/><text class="label" x="${n(x)}" y="${n(y + 4)}">${escaped(label)}</text></g>`,
  ];
}

function nodeLines({ node, x, y, width, height, ...more }: PlacedNode, taken: Taken | undefined): string[] {
  const visited = taken?.nodes.get(node.id);
  const look = visited ? (visited.failed ? ' taken failed' : ' taken') : taken ? ' passed' : '';
  return [
    `<g class="${familyOf(node.type)}${look}" transform="translate(${n(x)} ${n(y)})">`,
    `<title>${escaped(node.title ?? node.id)}</title>`,
    more.isStart
      ? `<circle class="start" cx="${n(width / 2)}" cy="-12" r="4"/><path class="edge" d="M${n(width / 2)} -8V-1"/>`
      : '',
    `<rect class="card" width="${n(width)}" height="${n(height)}" rx="7"/><rect class="mark" x="6" y="10" width="4" height="28" rx="2"/>`,
    `<text class="heading" x="18" y="21">${escaped(more.heading)}</text>`,
    `<text class="small" x="18" y="37">${escaped(`${node.type} · ${node.id}`)}</text>`,
    ...more.inside.flatMap((block) => blockLines(block, taken)),
    more.note === '' ? '' : noteLines(more.note, width),
    '</g>',
  ].filter((line) => line !== '');
}

const blockLines = (
  { name, placed, x, y, width, height }: PlacedBlock,
  taken: Taken | undefined,
): string[] => [
  `<g transform="translate(${n(x)} ${n(y)})">`,
  `<rect class="block" width="${n(width)}" height="${n(height)}" rx="5"/><text class="small" x="10" y="16">${escaped(name)}</text>`,
  `<g transform="translate(${n((width - placed.width) / 2)} ${sizes.blockTop})">`,
  ...drawn(placed, taken),
  '</g></g>',
];

function noteLines(note: string, nodeWidth: number): string {
  const width = noteWidthOf(note);
  return `<g class="note" transform="translate(${n(nodeWidth - width - 8)} 25)"><rect width="${n(width)}" height="17" rx="8.5"/><text x="${n(width / 2)}" y="12.5">${escaped(note)}</text></g>`;
}
