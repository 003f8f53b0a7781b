// Checks the input that starts a run, and its response.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { jsonBytes } from '#lib/json/size.ts';
import type { Compute } from '../expression/compute.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { findValueFaults } from '../schema/value-faults.ts';
import { findExcess } from './input-size.ts';
import type { CompiledFlow } from './node-context.ts';

/** What starts a run, as expressions see it under `input`. */
export interface FlowInput {
  readonly message: string;
  readonly user_variables: JsonObject;
  /** References to the files that came with the message. */
  readonly files?: readonly JsonObject[];
  /** The body that a webhook received. */
  readonly event?: Json;
  readonly a2a?: JsonObject;
}

export function inputScope({ message, user_variables, files, event, a2a }: FlowInput): JsonObject {
  return {
    message,
    user_variables,
    ...(files && { files }),
    ...(event !== undefined && { event }),
    ...(a2a && { a2a }),
  };
}

/** Throws `input.too_large` or `input.invalid`. */
export async function checkInput(
  flow: CompiledFlow,
  input: JsonObject,
  compute: Compute | undefined,
): Promise<void> {
  const excess = findExcess(input);
  if (excess) {
    const { part, bytesMax } = excess;
    throw new NodeError('input.too_large', `${part}: expected at most ${bytesMax} bytes of JSON.`);
  }
  if (!flow.input) return;
  const faults = await findValueFaults(flow.input, input.user_variables ?? {}, compute);
  if (faults.length > 0) throw new NodeError('input.invalid', `user_variables: ${faults.join('; ')}.`);
}

/** Throws `output.too_large` or `output.invalid`. */
export async function checkResponse(
  flow: CompiledFlow,
  response: JsonObject,
  compute: Compute | undefined,
): Promise<void> {
  if (jsonBytes(response, limits.responseBytes) > limits.responseBytes) {
    throw new NodeError(
      'output.too_large',
      `The response passed its limit of ${limits.responseBytes} bytes.`,
    );
  }
  if (!flow.output) return;
  const faults = await findValueFaults(flow.output, response, compute);
  if (faults.length > 0)
    throw new NodeError(
      'output.invalid',
      `The response does not fit the flow's output: ${faults.join('; ')}.`,
    );
}
