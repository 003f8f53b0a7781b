// `flow`: runs the live build of another flow of the workspace. Its output is that flow's response; that
// flow's questions become questions of this run.
import * as z from 'zod';
import { flowid } from '#lib/ids.ts';
import { lazy } from '#lib/lazy.ts';
import { preview } from '../engine/log-preview.ts';
import { template, typedTemplate } from '../expression/template.ts';
import { asText } from '../expression/text.ts';
import { everyNode, onward } from '../format/node-fields.ts';
import { callFlow } from './called-flow.ts';
import type { NodeType } from './node-type.ts';
import { objectField, requireObject } from './object-field.ts';

export const flowSchema = /* @__PURE__ */ lazy(() =>
  z
    .strictObject({
      type: z.literal('flow'),
      ...everyNode(),
      ...onward(),
      flowid: flowid.meta({ description: 'The flow to run; literal.', examples: ['order-status'] }),
      message: z.string().optional().meta({ description: 'Message of the run; template.' }),
      user_variables: objectField().optional().meta({
        description:
          'Variables of the run: an object with templates, or one expression that gives an object.',
      }),
      stream: z
        .boolean()
        .optional()
        .meta({ description: 'Streams the text that nodes of that flow stream to the caller.' }),
    })
    .meta({
      description: 'Runs the live build of another flow of the workspace; the output is its response.',
    }),
);

type FlowNode = z.infer<ReturnType<typeof flowSchema>>;

export const flow: NodeType<FlowNode> = {
  templates: ['message', 'user_variables'],
  isLong: true,
  pauses: () => true,
  uses: ({ flowid }) => ({ flows: [flowid] }),
  prepare: (node) => {
    const message = template(node.message ?? '');
    const variables = typedTemplate(node.user_variables ?? {});
    return async (context) => {
      const call = {
        name: 'flow',
        flowid: node.flowid,
        message: asText(await message(context.at)),
        user_variables: requireObject('user_variables', await variables(context.at), 'flow.bad_variables'),
        isStreamed: node.stream === true,
      };
      const end = await callFlow(context, call, { value: context.memory, keep: context.remember });
      if (end.status === 'failed') throw end.error;
      if (end.status !== 'completed') return { pause: { kind: 'inside' } };
      return { output: end.output, note: `${node.flowid} answered ${preview(end.output, 200)}` };
    };
  },
};
