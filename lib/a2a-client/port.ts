// The way out to other agents over A2A. The SDK behind it is loaded with the first message; only `send.ts` and what it imports may import it.

import type { Connect } from '#lib/connection/connection-fetch.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { AgentPort, AgentRequest } from '#lib/flow/ports/agent.ts';
import { registryId } from '#lib/ids.ts';

interface AgentPortOptions {
  readonly connect: Connect;
  /** Where the agents of this service are. */
  readonly gatewayUrl: string;
}

/** Where an agent is to be found, and the hosts it may be looked for on. */
export interface AgentPlace {
  readonly url: string;
  /** An agent of this service needs no card: it is known how it speaks. */
  readonly isOwn: boolean;
  readonly egress: readonly string[];
}

/** For one run. */
export function createAgentPort({ connect, gatewayUrl }: AgentPortOptions): AgentPort {
  return async (request, call) => {
    const place = placeOf(request, gatewayUrl);
    const connected = await connect(request.connection);
    const { sendAndWait } = await import('./send.ts');
    return await sendAndWait(request, place, connected, call);
  };
}

/** The service's own address is the operator's, so a flow need not list it. */
function placeOf({ agent, egress }: AgentRequest, gatewayUrl: string): AgentPlace {
  if (registryId.safeParse(agent).success) {
    const url = `${gatewayUrl}/api/v1/ai/a2a/agents/${agent}`;
    return { url, isOwn: true, egress: [new URL(gatewayUrl).host] };
  }
  if (URL.canParse(agent)) return { url: agent, isOwn: false, egress };
  throw new NodeError(
    'a2a.bad_agent',
    'expected a registry id (reg_…) or the URL of an agent or of its card.',
  );
}
