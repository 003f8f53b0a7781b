// The port for calling other agents over A2A. The A2A SDK is loaded with the first message; only `send.ts`
// and its imports may import it.

import type { GetConnectionFetch } from '#lib/connection/connection-fetch.ts';
import type { AgentPort, CancelTaskPort, CreateNotificationTarget } from '#lib/flow/ports/agent.ts';
import { type OwnAddresses, resolveAgent } from './agent-endpoint.ts';

interface AgentPortOptions {
  readonly getFetch: GetConnectionFetch;
  readonly addresses: OwnAddresses;
  /** Absent for a run that is not paused while a task takes long. */
  readonly createTarget?: CreateNotificationTarget;
}

/** For one run. */
export function createAgentPort({ getFetch, addresses, createTarget }: AgentPortOptions): AgentPort {
  return async (request, call) => {
    const endpoint = resolveAgent(request, addresses);
    const connectionFetch = await getFetch(request.connection);
    const { fetch: keysFetch } = await getFetch(undefined);
    const { sendAndWait } = await import('./send.ts');
    const isReachable = addresses[0].startsWith('https:') || endpoint.url.startsWith('http:');
    const outside = { connectionFetch, keysFetch, createTarget: isReachable ? createTarget : undefined };
    return await sendAndWait(request, endpoint, outside, call);
  };
}

/** All that a cancellation may take: reading the card, fetching a token, and the request. */
const cancelTimeoutMs = 5_000;

/** Rejects if the agent does not respond. */
export function createCancelTaskPort({
  getFetch,
  addresses,
}: Omit<AgentPortOptions, 'createTarget'>): CancelTaskPort {
  return async (task) => {
    const endpoint = resolveAgent(task, addresses);
    const connectionFetch = await getFetch(task.connection);
    const { fetch: keysFetch } = await getFetch(undefined);
    const { cancelTask } = await import('./send.ts');
    const signal = AbortSignal.timeout(cancelTimeoutMs);
    return await cancelTask(task, endpoint, { connectionFetch, keysFetch }, signal);
  };
}
