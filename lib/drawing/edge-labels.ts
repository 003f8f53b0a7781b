// What a drawing says of a way: on its line, or in the box that it leaves.

import type { Way } from './edges.ts';
import { fonts, sizes } from './sizes.ts';
import { wrapped } from './text.ts';

/** Of a few edges each has a line; more are counted. */
export function labelOf({ kind, labels }: Way): readonly string[] {
  const [first, ...more] = labels.filter((label) => label !== '');
  if (first === undefined) return [];
  if (more.length === 0) return wrapped(first, fonts.small, sizes.labelWidth, sizes.labelLinesMax);
  if (labels.length > sizes.labelLinesMax)
    return [kind === 'catch' ? `${labels.length} errors` : cases(labels)];
  return [first, ...more].flatMap((label) => wrapped(label, fonts.small, sizes.labelWidth, 1));
}

function cases(labels: readonly string[]): string {
  const count = labels.filter((label) => label !== 'default').length;
  return count === labels.length ? `${count} cases` : `${count} cases, default`;
}

export interface Told {
  readonly text: string;
  readonly ways: readonly Way[];
}

/** Of many ways only some have a line of their own. */
export function toldOf(ways: readonly Way[]): Told[] {
  const shown = ways.length > sizes.toldMax ? sizes.toldMax - 1 : ways.length;
  const each = ways.slice(0, shown).map((way) => ({ text: toldText(way), ways: [way] }));
  const rest = ways.slice(shown);
  return rest.length > 0 ? [...each, { text: `and ${rest.length} more ways`, ways: rest }] : each;
}

function toldText(way: Way): string {
  const [label = ''] = wrapped(labelOf(way).join(', '), fonts.small, sizes.labelWidth, 1);
  return `${label} → ${way.to}`.trimStart();
}
