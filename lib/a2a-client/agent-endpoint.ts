// Resolves the agent that a node names to the URL to call and the hosts that the calls may reach.

import { NodeError } from '#lib/flow/format/node-error.ts';
import type { AgentRequest } from '#lib/flow/ports/agent.ts';
import { registryId } from '#lib/ids.ts';

export interface AgentEndpoint {
  readonly url: string;
  /** Agents of this service are called without reading their Agent Card. */
  readonly isOwn: boolean;
  /** Whether the calls have the credential of a connection. */
  readonly hasCredential: boolean;
  /** The host is that of this service, so what it reports of a task is true. */
  readonly isTrusted: boolean;
  readonly egress: readonly string[];
}

/** The base URLs of this service, whose first one its own agents are called at. */
export type OwnAddresses = readonly [string, ...string[]];

type Target = Pick<AgentRequest, 'agent' | 'egress' | 'connection'>;

/** The addresses of this service come from the operator, so a flow need not list them under `egress`. */
export function resolveAgent({ agent, egress, connection }: Target, addresses: OwnAddresses): AgentEndpoint {
  const [gatewayUrl] = addresses;
  const hasCredential = connection !== undefined;
  if (registryId.safeParse(agent).success) {
    const url = `${gatewayUrl}/api/v1/ai/a2a/agents/${agent}`;
    return { url, isOwn: true, hasCredential, isTrusted: true, egress: [new URL(gatewayUrl).host] };
  }
  const { origin } = URL.parse(agent) ?? {};
  if (origin !== undefined)
    return {
      url: agent,
      isOwn: false,
      hasCredential,
      isTrusted: addresses.some((own) => origin === new URL(own).origin),
      egress,
    };
  throw new NodeError(
    'a2a.bad_agent',
    'expected a registry id (reg_…) or the URL of an agent or of its card.',
  );
}
