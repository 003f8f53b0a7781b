// The card of an agent in the form of A2A 0.3 (§5.5 of that version), for clients that do not speak 1.0 yet.
import type { AgentCard } from '../row/agent-card.ts';

/** It has no signatures, which 0.3 does not require. */
export function toLegacyCard(card: AgentCard, url: string): object {
  const { name, description, version, provider, documentationUrl, iconUrl, skills } = card;
  const { defaultInputModes, defaultOutputModes, capabilities } = card;
  const { extendedAgentCard, ...others } = capabilities;
  return {
    protocolVersion: '0.3.0',
    name,
    description,
    url,
    preferredTransport: 'JSONRPC',
    provider,
    version,
    documentationUrl,
    iconUrl,
    capabilities: { ...others, stateTransitionHistory: false },
    supportsAuthenticatedExtendedCard: extendedAgentCard,
    securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
    security: [{ apiKey: [] }],
    defaultInputModes,
    defaultOutputModes,
    skills,
  };
}
