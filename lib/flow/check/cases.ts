// Warns about cases of a `switch` that are never chosen, because a case before them always is.
import { pointerTo } from '#lib/json/pointer.ts';
import type { FlowNode } from '../definition/node-types.ts';
import { wholeExpression } from '../format/template-segments.ts';
import type { Path, Warning } from './mistake.ts';
import type { ReadNode } from './read-nodes.ts';

interface DeadCase {
  /** Inside the node. */
  readonly path: Path;
  readonly detail: string;
}

export const findCaseWarnings = (nodes: ReadonlyMap<string, ReadNode>): readonly Warning[] =>
  [...nodes.values()].flatMap(({ node, path }) =>
    node
      ? findDeadCases(node)
          .filter((dead) => !isHarmless(dead, node))
          .map((dead): Warning => {
            const pointer = pointerTo([...path, ...dead.path]);
            return { pointer, code: 'case_never_chosen', detail: dead.detail };
          })
      : [],
  );

/** The `default` is one of them if a case is always true. */
export function findDeadCases(node: FlowNode): readonly DeadCase[] {
  if (node.type !== 'switch') return [];
  const conditions = node.cases.map(({ when }) => wholeExpression(when));
  const dead = conditions.flatMap((condition, index): DeadCase[] => {
    const detail = explainDeadCase(condition, conditions.slice(0, index));
    return detail === undefined ? [] : [{ path: ['cases', index], detail }];
  });
  const always = conditions.indexOf('true');
  return always === -1 ? dead : [...dead, { path: ['default'], detail: describeAlwaysTrue(always) }];
}

/** Every `switch` must have a `default`. One with the same `next` as the case that is always true hides nothing. */
function isHarmless({ path: [field] }: DeadCase, node: FlowNode): boolean {
  if (field !== 'default' || node.type !== 'switch') return false;
  return node.cases.find(({ when }) => wholeExpression(when) === 'true')?.next === node.default;
}

function explainDeadCase(
  condition: string | undefined,
  before: readonly (string | undefined)[],
): string | undefined {
  const always = before.indexOf('true');
  if (always !== -1) return describeAlwaysTrue(always);
  const same = before.indexOf(condition);
  return same === -1 ? undefined : `case ${same} has the same condition, and is chosen before this one`;
}

const describeAlwaysTrue = (index: number) =>
  `case ${index} is always true: expected it last, as the \`default\``;
