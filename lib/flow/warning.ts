// A warning about a flow that is accepted all the same. Apart from what finds it: descriptions of endpoints name it.
import * as z from 'zod';

export const flowWarning = z
  .strictObject({
    pointer: z.string().meta({ description: 'RFC 6901, from `/body`.' }),
    code: z.enum(['may_pause', 'node_without_value', 'state_without_value']).meta({
      description:
        '`may_pause`: a run may stop there for an answer or a time, so who waits for its result may get `input_required` or `pending`. `node_without_value`, `state_without_value`: an expression reads what cannot have a value there.',
    }),
    detail: z.string(),
  })
  .meta({ id: 'FlowWarning' });
export type FlowWarning = z.infer<typeof flowWarning>;
