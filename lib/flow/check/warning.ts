// A warning about a flow that is accepted all the same. Apart from what finds it: descriptions of endpoints name it.
import * as z from 'zod';

const codes = [
  'may_pause',
  'node_without_value',
  'state_without_value',
  'error_never_met',
  'case_never_chosen',
  'choice_never_fits',
  'schema_never_fits',
  'loop_without_end',
  'never_used',
] as const;

const meanings: Readonly<Record<(typeof codes)[number], string>> = {
  may_pause:
    'a run may stop there for an answer or a time, so who waits for its result may get `input_required` or `pending`',
  node_without_value: 'an expression reads the output of a node that cannot have run before',
  state_without_value: 'an expression reads a variable that nothing sets',
  error_never_met: 'a pattern of `catch` or `retry` means no error, or only what an entry before it takes',
  case_never_chosen: 'a case of a `switch`, or its `default`, that a case before it leaves nothing',
  choice_never_fits: 'a choice of an `ask` that its `schema` refuses',
  schema_never_fits: 'a schema of the input or output that takes no object',
  loop_without_end: 'a loop that no way leads out of',
  never_used: 'a connection, a model or a host of `egress` that no node uses',
};

export const flowWarning = z
  .strictObject({
    pointer: z.string().meta({ description: 'RFC 6901, from `/body`.' }),
    code: z.enum(codes).meta({
      description: codes.map((code) => `\`${code}\`: ${meanings[code]}.`).join(' '),
    }),
    detail: z.string(),
  })
  .meta({ id: 'FlowWarning' });
export type FlowWarning = z.infer<typeof flowWarning>;
