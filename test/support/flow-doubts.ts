// Warnings about what a valid flow probably does not mean. Flows of tests and samples have none, unless a test states
// them: a warning about a flow that does what it should would be a mistake of the check.
import { checkFlow } from '#lib/flow/check/check-flow.ts';
import type { FlowWarning } from '#lib/flow/check/warning.ts';

/** Warnings about expressions and headers. The others are about how a flow runs, which tests vary on purpose. */
const codes: ReadonlySet<string> = new Set<FlowWarning['code']>([
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
]);

const selectDoubts = <W extends { readonly code: string }>(warnings: readonly W[]): readonly W[] =>
  warnings.filter(({ code }) => codes.has(code));

export function findDoubts(flow: unknown) {
  const checked = checkFlow(flow);
  return checked.ok ? selectDoubts(checked.warnings) : [];
}
