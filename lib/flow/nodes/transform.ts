// `transform`: computes a value. No side effects.
import * as z from 'zod';
import { lazy } from '#lib/lazy.ts';
import { template } from '../expression/template.ts';
import { everyNode, json, onward } from '../format/node-fields.ts';
import { after, type NodeType } from './node-type.ts';

export const transformSchema = /* @__PURE__ */ lazy(() =>
  z
    .strictObject({
      type: z.literal('transform'),
      ...everyNode(),
      ...onward(),
      output: json().meta({ description: 'The output: any JSON value with templates.' }),
    })
    .meta({ description: 'Computes a value, without side effects.' }),
);

type TransformNode = z.infer<ReturnType<typeof transformSchema>>;

export const transform: NodeType<TransformNode> = {
  templates: ['output'],
  onlyComputes: true,
  prepare: (node) => {
    const output = template(node.output);
    return ({ at }) => after(output(at), (value) => ({ output: value }));
  },
};
