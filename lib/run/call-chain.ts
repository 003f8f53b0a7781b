// What agents that call one another report: the caller its chain of calls and what is left of its budget, the
// called agent what it has used.
import * as z from 'zod';
import type { Used } from '#lib/flow/engine/budget.ts';
import type { FlowInput } from '#lib/flow/engine/run-flow.ts';
import type { FlowLimits } from '#lib/flow/format/flow-limits.ts';
import { limits } from '#lib/flow/format/limits.ts';
import type { StoredEvent, StoredRun } from './stored-run.ts';

const count = /* @__PURE__ */ z.lazy(() => z.number().int().nonnegative());

/**
 * What an agent that calls reports about its own run: the flows that led to the call, and what is left of its
 * budget.
 */
const callerReport = /* @__PURE__ */ z.lazy(() =>
  z.object({
    metadata: z.object({
      agent_flow: z.object({
        chain: z.array(z.string().max(64)).max(limits.callDepthMax),
        left: z
          .object({ steps: count, model_calls: count, tokens: count, ms: count, depth: count })
          .partial(),
      }),
    }),
  }),
);

const namedMessage = /* @__PURE__ */ z.lazy(() =>
  z.object({ agent_flow: z.object({ idempotent: z.literal(true) }) }),
);

/** Whether the client sends a message of this id only to repeat this one. */
export const isNamed = (metadata: unknown): boolean =>
  hasReport(metadata) && namedMessage.safeParse(metadata).success;

/** Most clients report nothing, and zod writes an error about what is missing. */
const hasReport = (metadata: unknown): boolean =>
  typeof metadata === 'object' && metadata !== null && 'agent_flow' in metadata;

interface CallChain {
  /** Ends with the flow that is called. */
  readonly chain: readonly string[];
  readonly limits: FlowLimits;
}

/** Anybody may write the report, so it can only lower what a run may do. */
export function readCallChain({ a2a }: Pick<FlowInput, 'a2a'>, flowid: string): CallChain {
  const parsed = hasReport(a2a?.metadata) ? callerReport.safeParse(a2a) : undefined;
  if (!parsed?.success) return { chain: [flowid], limits: {} };
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

/** What a run has used is for callers of its organisation alone. */
export const reportsUse = ({ trigger, caller_orgid, orgid }: StoredRun): boolean =>
  trigger === 'a2a' && caller_orgid === orgid;

export const toStoredUse = (run: StoredRun, used: Readonly<Used> | undefined): StoredEvent['used'] =>
  used && reportsUse(run)
    ? { steps: used.steps, model_calls: used.modelCalls, tokens: used.tokens }
    : undefined;
