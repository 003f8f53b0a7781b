// Ways of a `switch` that are never chosen, because a case before them is.
import { pointerTo } from '#lib/json/pointer.ts';
import type { FlowNode } from '../definition/node-types.ts';
import { wholeExpression } from '../format/template-segments.ts';
import type { Path, Warning } from './mistake.ts';
import type { ReadNode } from './read-nodes.ts';

interface DeadWay {
  /** Inside the node. */
  readonly path: Path;
  readonly detail: string;
}

export const caseWarnings = (nodes: ReadonlyMap<string, ReadNode>): readonly Warning[] =>
  [...nodes.values()].flatMap(({ node, path }) =>
    node
      ? deadWays(node)
          .filter((way) => !isSpare(way, node))
          .map((way): Warning => {
            const pointer = pointerTo([...path, ...way.path]);
            return { pointer, code: 'case_never_chosen', detail: way.detail };
          })
      : [],
  );

export function deadWays(node: FlowNode): readonly DeadWay[] {
  if (node.type !== 'switch') return [];
  const conditions = node.cases.map(({ when }) => wholeExpression(when));
  const dead = conditions.flatMap((condition, index): DeadWay[] => {
    const detail = whyNever(condition, conditions.slice(0, index));
    return detail === undefined ? [] : [{ path: ['cases', index], detail }];
  });
  const always = conditions.indexOf('true');
  return always === -1 ? dead : [...dead, { path: ['default'], detail: alwaysTrue(always) }];
}

/** Every `switch` has a `default`: one that leads where the case goes that is always true hides nothing. */
function isSpare({ path: [field] }: DeadWay, node: FlowNode): boolean {
  if (field !== 'default' || node.type !== 'switch') return false;
  return node.cases.find(({ when }) => wholeExpression(when) === 'true')?.next === node.default;
}

function whyNever(
  condition: string | undefined,
  before: readonly (string | undefined)[],
): string | undefined {
  const always = before.indexOf('true');
  if (always !== -1) return alwaysTrue(always);
  const twin = before.indexOf(condition);
  return twin === -1 ? undefined : `case ${twin} has the same condition, and is chosen before this one`;
}

const alwaysTrue = (index: number) => `case ${index} is always true: expected it last, as the \`default\``;
