// Resolves the agent that a node names to the URL to call and the hosts that the calls may reach.

import { addresses } from '#lib/addresses.ts';
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

type Target = Pick<AgentRequest, 'agent' | 'egress' | 'connection'>;

/** The address of this service comes from the operator, so a flow need not list it under `egress`. */
export function resolveAgent({ agent, egress, connection }: Target, gatewayUrl: string): AgentEndpoint {
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
      isTrusted: [gatewayUrl, ...addresses()].some((own) => origin === new URL(own).origin),
      egress,
    };
  throw new NodeError(
    'a2a.bad_agent',
    'expected a registry id (reg_…) or the URL of an agent or of its card.',
  );
}
