// The schema of a warning about a flow that is accepted nevertheless. The routes use it without the check.
import * as z from 'zod';

const codes = [
  'may_pause',
  'node_without_value',
  'state_without_value',
  'member_without_value',
  'scope_hidden',
  'foreign_syntax',
  'wrong_arguments',
  'null_comparison',
  'division_by_zero',
  'number_rounded',
  'condition_not_boolean',
  'object_in_text',
  'assignment_lost',
  'literal_secret',
  'error_never_met',
  'case_never_chosen',
  'choice_never_fits',
  'schema_never_fits',
  'loop_without_end',
  'never_used',
  'unknown_model',
  'unknown_flow',
] as const;

const meanings: Readonly<Record<(typeof codes)[number], string>> = {
  may_pause:
    'a run may pause at this node for an answer or until a time, so that a caller who waits for the result may receive `input_required` or `pending`',
  node_without_value: 'an expression reads the output of a node that cannot have run before',
  state_without_value: 'an expression reads a variable that nothing sets',
  member_without_value: 'an expression reads a member that the output of a node, or the input, cannot have',
  scope_hidden:
    'an expression reads `state`, `input` or another name of the scope inside a filter or after a step of a path, where names belong to the element',
  foreign_syntax: `a part of an expression or of a text has a meaning in another language and none here, such as \`.length\` or \`$\{…}\``,
  wrong_arguments: 'an expression calls a function with fewer or more arguments than it takes',
  null_comparison: 'an expression compares with null what may be missing, which is not null',
  division_by_zero: 'an expression divides by zero',
  number_rounded: 'a number has more digits than a number can hold, so that the last ones may be lost',
  condition_not_boolean: 'the condition of a case is never true or false',
  object_in_text: 'an object or a list is inside text, where it is written as JSON',
  assignment_lost: 'a variable is set in a scope that ends before anything reads it',
  literal_secret:
    'a header, a query or a URL has a credential as a literal text, which everybody can read who reads the flow',
  error_never_met:
    'a pattern of `catch` or `retry` matches no error, or only errors that an entry before it takes',
  case_never_chosen:
    'a case of a `switch`, or its `default`, is never chosen, because a case before it always is',
  choice_never_fits: 'the `schema` of an `ask` refuses one of its choices',
  schema_never_fits: 'a schema of the input or output refuses every object',
  loop_without_end: 'no path leads out of a loop',
  never_used: 'no node uses a connection, a model or a host of `egress`',
  unknown_model: 'the tenant does not have a model that the flow declares',
  unknown_flow: 'the workspace has no live build of a flow that the flow calls',
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
