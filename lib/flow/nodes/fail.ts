// `fail`: ends the run as failed, with the flow's own message.
import * as z from 'zod';
import { lazy } from '#lib/lazy.ts';
import { template } from '../expression/template.ts';
import { asText } from '../expression/text.ts';
import { NodeError } from '../format/node-error.ts';
import { labels } from '../format/node-fields.ts';
import { after, type NodeType } from './node-type.ts';

export const failSchema = /* @__PURE__ */ lazy(() =>
  z
    .strictObject({
      type: z.literal('fail'),
      ...labels(),
      message: z.string().min(1).meta({ description: 'Message of the error; template.' }),
      code: z
        .string()
        .regex(/^[a-z][a-z0-9_]{0,63}$/, 'expected a code of a-z, 0-9 and _, such as "order_too_old"')
        .optional()
        .meta({
          description: 'The code of the error is `fail.<code>`; without it, `fail`.',
          examples: ['order_too_old'],
        }),
    })
    .meta({ description: 'Ends the run, or its scope, as failed.' }),
);

type FailNode = z.infer<ReturnType<typeof failSchema>>;

export const fail: NodeType<FailNode> = {
  templates: ['message'],
  onlyComputes: true,
  prepare: (node) => {
    const message = template(node.message);
    // The prefix separates a flow's codes from the engine's, some of which nobody may catch.
    const code = node.code === undefined ? 'fail' : `fail.${node.code}`;
    return ({ at }) =>
      after(message(at), (text) => {
        throw new NodeError(code, asText(text));
      });
  },
};
