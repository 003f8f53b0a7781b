// `transform`: computes a value. No side effects.
import * as z from 'zod';
import { template } from '../expression/template.ts';
import { everyNode, json, onward } from '../format/node-fields.ts';
import { after, defineNode } from './node-type.ts';

export const transform = defineNode({
  schema: () => z.strictObject({ type: z.literal('transform'), ...everyNode(), ...onward(), output: json() }),
  templates: ['output'],
  prepare: (node) => {
    const output = template(node.output);
    return ({ at }) => after(output(at), (value) => ({ output: value }));
  },
});
