// Writes a graph with its positions as SVG. Equal graphs give equal text, byte for byte.

import type { EdgeText } from './edge-labels.ts';
import type { DrawnEdge } from './edges.ts';
import { type ExecutedPath, edgeKey } from './executed-path.ts';
import { linePath, n } from './line-path.ts';
import type { Box, PlacedBlock, PlacedBox, PlacedGraph, PlacedLine } from './place-graph.ts';
import { cutPart, measureNote, typeLine } from './scene.ts';
import { fonts, sizes } from './sizes.ts';
import { findFamily, styleSheet } from './style.ts';
import { escapeText, measureText } from './text.ts';

/**
 * With `path`, the nodes and edges of a run are highlighted and all others are faded. A page that brings its own rules
 * passes no style.
 */
export function renderSvg(graph: PlacedGraph, name: string, path?: ExecutedPath, style = styleSheet): string {
  const caption = path?.endMessage ?? '';
  const width = Math.max(
    graph.width,
    measureText(name, fonts.name) + 32,
    measureText(caption, fonts.small) + 32,
  );
  const height = headHeight + graph.height + (caption === '' ? 0 : captionHeight);
  const size = `width="${n(width)}" height="${n(height)}"`;
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${n(width)} ${n(height)}" ${size} role="img" aria-labelledby="name">`,
    `<title id="name">${escapeText(name)}</title>`,
    style && `<style>${style}</style>`,
    `<defs>${arrow('arrow', '')}${arrow('arrow-taken', ' taken')}</defs>`,
    `<rect class="ground" ${size}/>`,
    `<text class="name" x="16" y="28">${escapeText(name)}</text>`,
    `<g transform="translate(${n((width - graph.width) / 2)} ${headHeight})">`,
    ...drawGraph(graph, path),
    '</g>',
    caption && `<text class="small" x="16" y="${n(height - 12)}">${escapeText(caption)}</text>`,
    '</svg>',
  ];
  return `${lines.filter((line) => line !== '').join('\n')}\n`;
}

const headHeight = 40;
const captionHeight = 24;

const arrow = (id: string, look: string) =>
  `<marker id="${id}" viewBox="0 0 10 10" refX="9" refY="5" markerUnits="userSpaceOnUse" markerWidth="9" markerHeight="9" orient="auto"><path class="head${look}" d="M0 1 10 5 0 9z"/></marker>`;

const drawGraph = ({ dot, entry, lines, boxes }: PlacedGraph, path: ExecutedPath | undefined): string[] => [
  `<circle class="start" cx="${n(dot.x + dot.width / 2)}" cy="${n(dot.y + dot.height / 2)}" r="${n(dot.width / 2)}"/>`,
  `<path class="edge" d="${linePath(entry)}" marker-end="url(#arrow)"/>`,
  ...lines.map((line) => drawLine(line, path)),
  ...boxes.flatMap((box) => drawBox(box, path)),
  ...lines.flatMap((line) => drawLabel(line, path)),
];

const isExecuted = ({ from, to, kind }: DrawnEdge, path: ExecutedPath | undefined) =>
  path?.edges.has(edgeKey(from, to, kind === 'catch')) ?? false;

const dashed: ReadonlySet<DrawnEdge['kind']> = new Set(['catch', 'timeout', 'visits']);

function drawLine({ edge, points }: PlacedLine, path: ExecutedPath | undefined): string {
  const isDashed = dashed.has(edge.kind);
  const isOnPath = isExecuted(edge, path);
  const look = `${isDashed ? ' dashed' : ''}${isOnPath ? ' taken' : path ? ' passed' : ''}`;
  const end = isOnPath ? 'arrow-taken' : 'arrow';
  return `<path class="edge${look}" d="${linePath(points)}" marker-end="url(#${end})"/>`;
}

/** The complete text is the tooltip, because the label may be cut. */
function drawLabel({ edge, label, labelBox }: PlacedLine, path: ExecutedPath | undefined): string[] {
  if (label.length === 0) return [];
  const look = path && !isExecuted(edge, path) ? 'label passed' : 'label';
  const { x, y, width, height } = labelBox;
  const texts = label.map((line, index) => text(look, x + width / 2, y + 12 + index * sizes.smallLine, line));
  const under = `<rect class="under" x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}"/>`;
  return [`<g>${tooltip(edge.labels)}${under}${texts.join('')}</g>`];
}

const tooltip = (lines: readonly string[]) => `<title>${escapeText(lines.join('\n'))}</title>`;

const text = (look: string, x: number, y: number, content: string) =>
  `<text class="${look}" x="${n(x)}" y="${n(y)}">${escapeText(content)}</text>`;

function drawBox(box: PlacedBox, path: ExecutedPath | undefined): string[] {
  const { node, heading, edgeTexts, note, inside, x, y, width, height } = box;
  const executed = path?.nodes.get(node.id);
  const look = executed ? (executed.failed ? ' taken failed' : ' taken') : path ? ' passed' : '';
  const typeY = 21 + heading.length * sizes.headingLine;
  const partsBottom = typeY + node.parts.length * sizes.smallLine;
  const textsBottom = partsBottom + edgeTexts.length * sizes.smallLine;
  return [
    `<g class="${findFamily(node.type)}${look}" transform="translate(${n(x)} ${n(y)})">`,
    tooltip([node.title ?? node.id]),
    card({ width, height }),
    `<rect class="mark" x="6" y="10" width="4" height="${n(textsBottom + 1 - 10)}" rx="2"/>`,
    ...heading.map((line, index) => text('heading', 18, 21 + index * sizes.headingLine, line)),
    text('small', 18, typeY, typeLine(node)),
    ...node.parts.map((part, index) =>
      text('small', 18, typeY + (index + 1) * sizes.smallLine, cutPart(part)),
    ),
    ...edgeTexts.map((each, index) => drawEdgeText(each, partsBottom + (index + 1) * sizes.smallLine, path)),
    ...inside.flatMap((block) => drawBlock(block, path)),
    note === '' ? '' : drawNote(note, width, typeY),
    '</g>',
  ].filter((line) => line !== '');
}

const card = ({ width, height }: Pick<Box, 'width' | 'height'>) =>
  `<rect class="card" width="${n(width)}" height="${n(height)}" rx="7"/>`;

function drawEdgeText({ text: content, edges }: EdgeText, y: number, path: ExecutedPath | undefined): string {
  const look = path ? (edges.some((edge) => isExecuted(edge, path)) ? ' taken' : ' passed') : '';
  const all = edges.map(({ labels, to }) => `${labels.join(', ')} → ${to}`.trimStart());
  return `<g>${tooltip(all)}${text(`small told${look}`, 18, y, content)}</g>`;
}

const drawBlock = (
  { name, graph, x, y, width, height }: PlacedBlock,
  path: ExecutedPath | undefined,
): string[] => [
  `<g class="inside" transform="translate(${n(x)} ${n(y)})">`,
  `<rect class="block" width="${n(width)}" height="${n(height)}" rx="5"/>${text('small', 10, 16, name)}`,
  ...drawGraph(graph, path),
  '</g>',
];

function drawNote(note: string, boxWidth: number, baseline: number): string {
  const width = measureNote(note);
  return `<g class="note" transform="translate(${n(boxWidth - width - 8)} ${n(baseline - 12)})"><rect width="${n(width)}" height="17" rx="8.5"/>${text('', width / 2, 12.5, note)}</g>`;
}
