// Cases of a `switch` that are never chosen, because one before them is.
import { pointerTo } from '#lib/json-pointer.ts';
import { wholeExpression } from '../expression/segments.ts';
import type { Warning } from './mistake.ts';
import type { ReadNode } from './read-nodes.ts';

export const caseWarnings = (nodes: ReadonlyMap<string, ReadNode>): readonly Warning[] =>
  [...nodes.values()].flatMap(({ node, path }) => {
    if (node?.type !== 'switch') return [];
    const conditions = node.cases.map(({ when }) => wholeExpression(when));
    return conditions.flatMap((condition, index): Warning[] => {
      const detail = whyNever(condition, conditions.slice(0, index));
      return detail === undefined
        ? []
        : [{ pointer: pointerTo([...path, 'cases', index]), code: 'case_never_chosen', detail }];
    });
  });

function whyNever(
  condition: string | undefined,
  before: readonly (string | undefined)[],
): string | undefined {
  const always = before.indexOf('true');
  if (always !== -1) return `case ${always} is always true: expected it last, as the \`default\``;
  const twin = before.indexOf(condition);
  return twin === -1 ? undefined : `case ${twin} has the same condition, and is chosen before this one`;
}
