// The limits in force for a run: those of the flow or the defaults of `limits.ts`, lowered by the caller's.
import type { FlowLimits } from '../format/flow-limits.ts';
import { limits } from '../format/limits.ts';

export interface RunLimits {
  readonly steps: number;
  readonly modelCalls: number;
  readonly tokens: number;
  readonly depth: number;
  readonly toolOutputBytes: number;
  /** How many ms this invocation may take; the time of earlier invocations of the run is subtracted. */
  readonly ms: number;
}

export function limitsInForce(
  flow: FlowLimits,
  caller: FlowLimits,
  time: { readonly elapsedMs: number; readonly timeoutMs: number | undefined },
): RunLimits {
  const { timeoutMs = Number.POSITIVE_INFINITY } = time;
  const isTimeGiven = timeoutMs !== Number.POSITIVE_INFINITY;
  const seconds = lower(
    flow.timeout_seconds,
    caller.timeout_seconds,
    isTimeGiven ? limits.runSecondsMax : limits.runSecondsDefault,
  );
  return {
    steps: lower(flow.max_steps, caller.max_steps, limits.stepsDefault),
    modelCalls: lower(flow.max_model_calls, caller.max_model_calls, limits.modelCallsDefault),
    tokens: lower(flow.max_tokens, caller.max_tokens, limits.tokensDefault),
    depth: lower(flow.max_depth, caller.max_depth, limits.callDepthDefault),
    toolOutputBytes: lower(
      flow.max_tool_output_bytes,
      caller.max_tool_output_bytes,
      limits.toolOutputBytesDefault,
    ),
    ms: Math.min(seconds * 1000 - time.elapsedMs, timeoutMs),
  };
}

/** Limits of the caller can only lower a limit, because any caller may set them. */
const lower = (own: number | undefined, given: number | undefined, otherwise: number): number =>
  Math.min(own ?? otherwise, given ?? Number.POSITIVE_INFINITY);
