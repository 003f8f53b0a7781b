// The port for calling other agents over A2A. The A2A SDK is loaded with the first message; only `send.ts`
// and its imports may import it.

import type { GetConnectionFetch } from '#lib/connection/connection-fetch.ts';
import type { AgentPort } from '#lib/flow/ports/agent.ts';
import { resolveAgent } from './agent-endpoint.ts';

interface AgentPortOptions {
  readonly getFetch: GetConnectionFetch;
  /** The base URL of this service's own agents. */
  readonly gatewayUrl: string;
}

/** For one run. */
export function createAgentPort({ getFetch, gatewayUrl }: AgentPortOptions): AgentPort {
  return async (request, call) => {
    const endpoint = resolveAgent(request, gatewayUrl);
    const connectionFetch = await getFetch(request.connection);
    const { fetch: keysFetch } = await getFetch(undefined);
    const { sendAndWait } = await import('./send.ts');
    return await sendAndWait(request, endpoint, { connectionFetch, keysFetch }, call);
  };
}
