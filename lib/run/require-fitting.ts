// Rejects an input that is too large for a run before there is a run, once the defaults of the trigger are
// applied to it.
import { ServiceError } from '#lib/errors.ts';
import { type Excess, findExcess } from '#lib/flow/engine/input-size.ts';
import type { FlowInput } from '#lib/flow/engine/run-flow.ts';
import { tooLarge } from '#lib/json/size.ts';

export function requireFitting(input: FlowInput): void {
  const excess = findExcess(input);
  if (excess) throw refusal(excess);
}

function refusal({ part, bytesMax }: Excess): ServiceError {
  if (part === 'message' || part === 'user_variables')
    return new ServiceError('validation_failed', {
      errors: [{ pointer: `/body/${part}`, detail: `${tooLarge(bytesMax)}, with what the trigger adds` }],
    });
  return new ServiceError('payload_too_large', {
    detail: `The ${part} of the run may have ${bytesMax} bytes of JSON at most, with what the trigger adds.`,
  });
}
