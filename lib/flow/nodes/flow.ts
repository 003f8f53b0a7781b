// `flow`: runs the live build of another flow of the workspace. Its output is that flow's response; what it asks, this run asks.
import * as z from 'zod';
import { flowid } from '#lib/ids.ts';
import type { Json, JsonObject } from '#lib/json.ts';
import { template } from '../expression/template.ts';
import { asText } from '../expression/text.ts';
import { isObject } from '../json-value.ts';
import { preview } from '../log-preview.ts';
import { NodeError } from '../node-error.ts';
import { callTheFlow } from './called-flow.ts';
import { defineNode, everyNode, json, onward } from './node-type.ts';
import { streamField } from './streamed.ts';

export const flow = defineNode({
  schema: () =>
    z.strictObject({
      type: z.literal('flow'),
      ...everyNode(),
      ...onward(),
      flowid,
      message: z.string().optional(),
      user_variables: json().optional(),
      ...streamField(),
    }),
  templates: ['message', 'user_variables'],
  isLong: true,
  pauses: () => true,
  uses: ({ flowid }) => ({ flows: [flowid] }),
  prepare: (node) => {
    const message = template(node.message ?? '');
    const variables = template(node.user_variables ?? {});
    return async (context) => {
      const call = {
        name: 'flow',
        flowid: node.flowid,
        message: asText(await message(context.at)),
        user_variables: variablesOf(await variables(context.at)),
        isStreamed: node.stream === true,
      };
      const end = await callTheFlow(context, call, { value: context.memory, keep: context.remember });
      if (end.status === 'failed') throw end.error;
      if (end.status !== 'completed') return { pause: { kind: 'inside' } };
      return { output: end.output, note: `${node.flowid} answered ${preview(end.output, 200)}` };
    };
  },
});

function variablesOf(given: Json): JsonObject {
  if (isObject(given)) return given;
  throw new NodeError(
    'flow.bad_variables',
    'user_variables: expected an object once its values are filled in.',
  );
}
