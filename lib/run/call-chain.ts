// What an agent that calls says about its own run: who led to it, and what is left of its budget. Anybody may write it, so it can only lower
// what a run may do.
import * as z from 'zod';
import type { FlowInput } from '#lib/flow/engine/run-flow.ts';
import type { FlowLimits } from '#lib/flow/format/flow-limits.ts';
import { limits } from '#lib/flow/format/limits.ts';

const count = z.number().int().nonnegative();

const told = z.object({
  metadata: z.object({
    agent_flow: z.object({
      chain: z.array(z.string().max(64)).max(limits.callDepthMax),
      left: z.object({ steps: count, model_calls: count, tokens: count, ms: count, depth: count }).partial(),
    }),
  }),
});

interface Calling {
  readonly chain: readonly string[];
  readonly limits: FlowLimits;
}

/** The chain ends with the flow that is called. */
export function callChain({ a2a }: Pick<FlowInput, 'a2a'>, flowid: string): Calling {
  const parsed = told.safeParse(a2a);
  if (!parsed.success) return { chain: [flowid], limits: {} };
  const { chain, left } = parsed.data.metadata.agent_flow;
  const { steps, model_calls, tokens, ms, depth } = left;
  return {
    chain: [...chain, flowid],
    limits: {
      ...(steps !== undefined && { max_steps: steps }),
      ...(model_calls !== undefined && { max_model_calls: model_calls }),
      ...(tokens !== undefined && { max_tokens: tokens }),
      ...(ms !== undefined && { timeout_seconds: ms / 1000 }),
      ...(depth !== undefined && { max_depth: chain.length + depth }),
    },
  };
}
