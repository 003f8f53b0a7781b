// `reply`: says something to the caller while the run goes on. A run may say it twice when it is resumed after a crash.
import * as z from 'zod';
import { template } from '../expression/template.ts';
import { asText } from '../expression/text.ts';
import { jsonBytes } from '../json-value.ts';
import { limits } from '../limits.ts';
import { preview } from '../log-preview.ts';
import { NodeError } from '../node-error.ts';
import { defineNode, everyNode, json, onward } from './node-type.ts';

export const reply = defineNode({
  schema: z.strictObject({
    type: z.literal('reply'),
    ...everyNode,
    ...onward,
    text: z.string().min(1).optional(),
    data: json.optional(),
  }),
  templates: ['text', 'data'],
  check: (node, _around, report) => {
    if (node.text === undefined && node.data === undefined) report([], 'expected `text`, `data` or both');
  },
  prepare: (node) => {
    const text = node.text === undefined ? undefined : template(node.text);
    const data = node.data === undefined ? undefined : template(node.data);
    return async (context) => {
      const said = {
        ...(text && { text: asText(await text(context.at)) }),
        ...(data && { data: await data(context.at) }),
      };
      if (jsonBytes(said, limits.variableBytes) > limits.variableBytes) {
        throw new NodeError(
          'value.too_large',
          `expected a reply of at most ${limits.variableBytes} bytes of JSON`,
        );
      }
      context.reply(said);
      return {
        output: said,
        note: said.text === undefined ? 'sent data' : `said: ${preview(said.text, 200)}`,
      };
    };
  },
});
