// The texts of edges: a label on a line, or a line of text in the box of the node that the edge leaves.

import type { DrawnEdge } from './edges.ts';
import { fonts, sizes } from './sizes.ts';
import { wrapText } from './text.ts';

/** The lines of a label. A few merged edges have a line each; more are counted. */
export function formatLabel({ kind, labels }: DrawnEdge): readonly string[] {
  const [first, ...more] = labels.filter((label) => label !== '');
  if (first === undefined) return [];
  if (more.length === 0) return wrapText(first, fonts.small, sizes.labelWidth, sizes.labelLinesMax);
  if (labels.length > sizes.labelLinesMax)
    return [kind === 'catch' ? `${labels.length} errors` : countCases(labels)];
  return [first, ...more].flatMap((label) => wrapText(label, fonts.small, sizes.labelWidth, 1));
}

function countCases(labels: readonly string[]): string {
  const count = labels.filter((label) => label !== 'default').length;
  return count === labels.length ? `${count} cases` : `${count} cases, default`;
}

export interface EdgeText {
  readonly text: string;
  readonly edges: readonly DrawnEdge[];
}

/** One text for each edge; if there are too many, the last text counts the remaining edges. */
export function describeEdges(edges: readonly DrawnEdge[]): EdgeText[] {
  const shown = edges.length > sizes.edgeTextsMax ? sizes.edgeTextsMax - 1 : edges.length;
  const each = edges.slice(0, shown).map((edge) => ({ text: describeEdge(edge), edges: [edge] }));
  const rest = edges.slice(shown);
  return rest.length > 0 ? [...each, { text: `and ${rest.length} more edges`, edges: rest }] : each;
}

function describeEdge(edge: DrawnEdge): string {
  const [label = ''] = wrapText(formatLabel(edge).join(', '), fonts.small, sizes.labelWidth, 1);
  return `${label} → ${edge.to}`.trimStart();
}
