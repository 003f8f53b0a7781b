// Accepts a flow in a request body, or refuses it with a pointer to each mistake.
import { ServiceError } from '#lib/errors.ts';
import type { Flow } from '../definition/flow.ts';
import type { Mistake } from './mistake.ts';
import type { FlowWarning } from './warning.ts';

interface AcceptedFlow {
  readonly flow: Flow;
  readonly egress: readonly string[];
  readonly warnings: readonly FlowWarning[];
}

/** The checks need the whole expression language, so they are loaded with the first flow and not with the function. */
export async function acceptFlow(value: unknown): Promise<AcceptedFlow> {
  const { checkFlow } = await import('./check-flow.ts');
  const checked = checkFlow(value);
  if (!checked.ok) {
    const { errors, total } = checked;
    throw new ServiceError('invalid_flow', { errors: errors.map(toBodyPointer), errorsTotal: total });
  }
  const { flow, warnings } = checked;
  return { flow, egress: flow.egress ?? [], warnings: warnings.map(toBodyPointer) };
}

export const toBodyPointer = <M extends Mistake>(mistake: M): M => ({
  ...mistake,
  pointer: `/body/flow${mistake.pointer}`,
});
