// A flow in a request body: accepted, or refused with a pointer to each mistake.
import { ServiceError } from '#lib/errors.ts';
import type { Flow } from './flow.ts';

/** The checks bring the whole expression language along, so they are loaded with the first flow and not with the function. */
export async function acceptFlow(
  value: unknown,
): Promise<{ readonly flow: Flow; readonly egress: readonly string[] }> {
  const { checkFlow } = await import('./check.ts');
  const checked = checkFlow(value);
  if (checked.ok) return { flow: checked.flow, egress: checked.flow.egress ?? [] };
  throw new ServiceError('invalid_flow', {
    errors: checked.errors.map(({ pointer, detail }) => ({ pointer: `/body/flow${pointer}`, detail })),
  });
}
