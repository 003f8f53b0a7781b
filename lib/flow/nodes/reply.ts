// `reply`: says something to the caller while the run goes on. A run may say it twice when it is resumed after a crash.
import * as z from 'zod';
import { template } from '../expression/template.ts';
import { asText } from '../expression/text.ts';
import { preview } from '../log-preview.ts';
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
      context.reply(said);
      return {
        output: said,
        note: said.text === undefined ? 'sent data' : `said: ${preview(said.text, 200)}`,
      };
    };
  },
});
