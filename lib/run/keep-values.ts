// Whether what a run was given, and its nodes, is kept. What keeps it is loaded by runs that do.
import type { Outcome } from '#lib/flow/engine/run-flow.ts';
import type { Execution } from './execution.ts';
import type { ValueKeeper } from './kept-values.ts';
import type { RunEnd } from './recorder.ts';
import type { HeaderChange } from './run-items.ts';

/** The organisation of the flow sees no more than the input of a run that another organisation has started. */
export async function openKeeper({ run, keepValues, log }: Execution): Promise<ValueKeeper | undefined> {
  if (keepValues === 'off' || run.caller_orgid !== run.orgid) return undefined;
  const { createValueKeeper } = await import('./kept-values.ts');
  return createValueKeeper(run, keepValues === 'failed', log);
}

/** A run that was interrupted is continued by another process. */
export const hasFailed = (outcome: Outcome): boolean =>
  outcome.status === 'failed' && outcome.error.code !== 'canceled';

/**
 * The input of a run that has failed, unless it is stored already. The request that executes a run has its input, and
 * whoever looks for the cause of the failure does not.
 */
export const keepInput = ({ run, keepValues, input }: Execution, { status }: RunEnd): HeaderChange =>
  keepValues === 'failed' && status === 'failed' && run.input === undefined
    ? { input: JSON.stringify(input) }
    : {};
