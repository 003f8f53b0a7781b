// Calls another flow: its live build and, after a pause, the same build again. Shared by `flow` nodes and
// tools of agents.
import * as z from 'zod';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { lazy } from '#lib/lazy.ts';
import type { NodeContext, ScopeEnd } from '../engine/node-context.ts';
import { NodeError } from '../format/node-error.ts';

export interface FlowCall {
  /** Identifies a call within the execution. */
  readonly name: string;
  readonly flowid: string;
  readonly message: string;
  readonly user_variables: JsonObject;
  /** Whether the text that its nodes stream is passed on to the caller. */
  readonly isStreamed: boolean;
  /** Whether it checks a text that nobody may see yet. */
  readonly isQuiet?: boolean;
}

/** What the caller of the flow remembers until the call ends. */
export interface CallMemory {
  readonly value: Json | undefined;
  readonly keep: (value: Json) => Promise<void>;
}

const keptBuild = /* @__PURE__ */ lazy(() => z.object({ build: z.string() }));

export async function callFlow(context: NodeContext, call: FlowCall, kept: CallMemory): Promise<ScopeEnd> {
  const { name, flowid, ...given } = call;
  const build = keptBuild().safeParse(kept.value).data?.build;
  const found = await context.findFlow({ flowid, ...(build !== undefined && { build }) });
  if (build === undefined) await kept.keep({ build: found.build });
  const end = await context.callFlow(name, { found, ...given }).end;
  return end.status === 'failed' ? { status: 'failed', error: toCallerError(flowid, end.error) } : end;
}

/** Names the flow in the message, because the ids of its nodes mean nothing in the flow that calls it. */
const toCallerError = (flowid: string, { code, message, nodeId, cause }: NodeError) =>
  new NodeError(code, `${flowid}${nodeId === undefined ? '' : `, node "${nodeId}"`}: ${message}`, { cause });
