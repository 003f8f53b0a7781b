// Messages of the agent, in the types of the SDK.
import { type Message, type Part, Role } from '@a2a-js/sdk';
import { toContentParts } from '#lib/flow/engine/artifacts.ts';
import type { StoredReply } from '#lib/run/output.ts';
import type { RunView } from '#lib/run/state.ts';
import { type OutputModes, toPart, toResponsePart } from './parts.ts';

export const buildAgentMessage = (
  messageId: string,
  taskId: string,
  contextId: string,
  parts: Part[],
): Message => ({
  messageId,
  taskId,
  contextId,
  role: Role.ROLE_AGENT,
  parts,
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
});

export const toReplyMessage = (taskId: string, contextId: string, reply: StoredReply): Message => ({
  ...buildAgentMessage(`${taskId}-reply-${reply.id}`, taskId, contextId, toContentParts(reply).map(toPart)),
  metadata: reply.metadata,
  extensions: [...(reply.extensions ?? [])],
});

/** What a run has used, which only callers of its organisation receive. */
export const toUseMetadata = (used: RunView['used']) => used && { agent_flow: { used } };

/**
 * The response of a flow that ends with a message. It belongs to no task, because the client was not sent
 * one. The metadata has the id of the run.
 */
export const toAnswerMessage = ({ run, response = {}, used }: RunView, modes: OutputModes): Message => ({
  ...buildAgentMessage(`${run.run_id}-answer`, '', run.context_id, [toResponsePart(response, modes)]),
  metadata: { workflow_id: run.run_id, ...toUseMetadata(used) },
});
