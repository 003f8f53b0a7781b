// `switch`: goes to the first case that is true, else to the default. Its output is the id it goes to.
import * as z from 'zod';
import type { Json } from '#lib/json/json.ts';
import { lazy } from '#lib/lazy.ts';
import type { Step } from '../engine/node-context.ts';
import type { RenderAt } from '../expression/evaluation.ts';
import { type Render, typedTemplate } from '../expression/template.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { everyNode, nodeId } from '../format/node-fields.ts';
import { named } from '../format/notes.ts';
import { oneExpression } from './expression-field.ts';
import { after, type NodeType } from './node-type.ts';

const condition = () => oneExpression('expected one expression, such as "{{ state.tries < 3 }}"');

export const switchSchema = /* @__PURE__ */ lazy(() =>
  z
    .strictObject({
      type: z.literal('switch'),
      ...everyNode(),
      cases: z
        .array(
          named(
            'case',
            z
              .strictObject({
                when: condition().meta({
                  description: 'One expression; the case is taken if it is true.',
                  examples: ['{{ state.tries < 3 }}'],
                }),
                next: nodeId().meta({ description: 'Id of the node to continue with.' }),
              })
              .meta({
                title: 'Case',
                description: 'A condition, and where the run continues if it is true.',
              }),
          ),
        )
        .min(1)
        .max(limits.casesMax)
        .meta({ description: 'Conditions in order, each with the node to continue with.' }),
      default: nodeId().meta({ description: 'Id of the node to continue with when no case is true.' }),
    })
    .meta({ description: 'Continues with the first case that is true, or else with the default.' }),
);

type SwitchNode = z.infer<ReturnType<typeof switchSchema>>;

export const switchNode: NodeType<SwitchNode> = {
  templates: ['cases'],
  onlyComputes: true,
  targets: (node) => [
    ...node.cases.map(({ next }, index) => ({ path: ['cases', index, 'next'], id: next })),
    { path: ['default'], id: node.default },
  ],
  prepare: (node) => {
    const cases = node.cases.map((one, index) => ({ when: typedTemplate(one.when), next: one.next, index }));
    return ({ at }) => firstTrue(cases, node.default, at);
  },
};

interface Case {
  readonly when: Render;
  readonly next: string;
  readonly index: number;
}

function firstTrue([first, ...rest]: readonly Case[], otherwise: string, at: RenderAt): Step | Promise<Step> {
  if (!first) return goTo(otherwise);
  return after(first.when(at), (value) =>
    isTrue(value, first.index) ? goTo(first.next) : firstTrue(rest, otherwise, at),
  );
}

const goTo = (next: string): Step => ({ output: next, next, note: `goes to ${next}` });

/** A missing value is false. Anything else but a boolean is an error. */
function isTrue(value: Json, index: number): boolean {
  if (typeof value === 'boolean') return value;
  if (value === null) return false;
  throw new NodeError(
    'switch.not_boolean',
    `cases[${index}].when: expected true or false, got ${typeof value}.`,
  );
}
