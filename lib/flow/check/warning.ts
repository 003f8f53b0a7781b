// The schema of a warning about a flow that is accepted nevertheless. The routes use it without the check.
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
    'a run may pause at this node for an answer or until a time, so that a caller who waits for the result may receive `input_required` or `pending`',
  node_without_value: 'an expression reads the output of a node that cannot have run before',
  state_without_value: 'an expression reads a variable that nothing sets',
  error_never_met:
    'a pattern of `catch` or `retry` matches no error, or only errors that an entry before it takes',
  case_never_chosen:
    'a case of a `switch`, or its `default`, is never chosen, because a case before it always is',
  choice_never_fits: 'the `schema` of an `ask` refuses one of its choices',
  schema_never_fits: 'a schema of the input or output refuses every object',
  loop_without_end: 'no path leads out of a loop',
  never_used: 'no node uses a connection, a model or a host of `egress`',
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
