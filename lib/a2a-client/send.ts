// Sends one message to an agent and waits until its task ends or asks for something. Import this file lazily only.
import { setTimeout } from 'node:timers/promises';
import { Role, type SendMessageRequest } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import type { Connected } from '#lib/connection/connection-fetch.ts';
import type { EgressLimits } from '#lib/egress/guarded-fetch.ts';
import { hostOf } from '#lib/egress/network-failure.ts';
import { valueWithoutSecrets } from '#lib/egress/redact.ts';
import type { AgentAnswer, AgentRequest } from '#lib/flow/ports/agent.ts';
import type { NodeCall } from '#lib/flow/ports/node-call.ts';
import { type Progress, progressOf } from './answer.ts';
import { clientOf } from './client.ts';
import { agentFailure, refusedStatus } from './failure.ts';
import type { AgentPlace } from './port.ts';

/** An agent may think for as long as the node may take; the call's signal ends it. */
const limits: Partial<EgressLimits> = { headersMs: 900_000, bodyMs: 900_000 };
/** Ms between looks at a task, from the first to all later ones. */
const pauseFirst = 250;
const pauseMax = 5_000;
/** Of a cancellation, which nobody waits for. */
const farewellMs = 3_000;

/** Throws `NodeError` (codes `a2a.*`, `egress.*`, `connection.*`, `timeout`). */
export async function sendAndWait(
  request: AgentRequest,
  place: AgentPlace,
  connected: Connected,
  call: NodeCall,
): Promise<AgentAnswer> {
  const host = hostOf(place.url);
  let task: { client: Client; id: string } | undefined;
  try {
    const client = await clientOf(place, fetchOf(connected, place), call.signal);
    const options = { signal: call.signal };
    let progress: Progress = progressOf(await client.sendMessage(messageOf(request), options), host);
    for (let pause = pauseFirst; 'taskId' in progress; pause = Math.min(pause * 1.5, pauseMax)) {
      const id = progress.taskId;
      task = { client, id };
      await setTimeout(pause, undefined, options);
      progress = progressOf(await client.getTask({ tenant: '', id }, options), host);
    }
    return hidden(progress.answer, connected);
  } catch (error) {
    if (call.signal.aborted && task) cancel(task.client, task.id);
    throw agentFailure(error, { host, signal: call.signal, hide: connected.hide });
  }
}

/** Written out: the codec of the SDK's main module would become part of what every A2A function loads at a cold start. */
function messageOf(request: AgentRequest): SendMessageRequest {
  const { task_id: taskId = '', context_id: contextId = '', metadata } = request;
  const message = {
    messageId: crypto.randomUUID(),
    role: Role.ROLE_USER,
    parts: partsOf(request),
    taskId,
    contextId,
    metadata,
    extensions: [],
    referenceTaskIds: [],
  };
  return { tenant: '', message, configuration: undefined, metadata: undefined };
}

function partsOf({ text, data }: AgentRequest) {
  const nothingElse = { metadata: undefined, filename: '', mediaType: '' };
  return [
    ...(text === undefined ? [] : [{ content: { $case: 'text' as const, value: text }, ...nothingElse }]),
    ...(data === undefined ? [] : [{ content: { $case: 'data' as const, value: data }, ...nothingElse }]),
  ];
}

/** The statuses that say the same for every binding never reach the SDK, which would keep their numbers to itself. */
function fetchOf({ fetch }: Connected, place: AgentPlace): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, egress: place.egress, limits });
    const refused = refusedStatus(response.status, place);
    if (!refused) return response;
    await response.body?.cancel();
    throw refused;
  };
}

/** Best effort: the agent may be done, or not listen. */
function cancel(client: Client, id: string): void {
  const signal = AbortSignal.timeout(farewellMs);
  client.cancelTask({ tenant: '', id, metadata: {} }, { signal }).catch(() => undefined);
}

const hidden = ({ text, data, ...ids }: AgentAnswer, { hide }: Connected): AgentAnswer => ({
  ...ids,
  text: hide(text),
  ...(data !== undefined && { data: valueWithoutSecrets(data, hide) }),
});
