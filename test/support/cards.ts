// Reads Agent Cards as a client does that trusts nothing: over HTTP, with their signatures verified.
import { type AgentCard, AgentCard as SdkCard } from '@a2a-js/sdk';
import { createRemoteJWKSet, flattenedVerify } from 'jose';
import { expect } from 'vitest';
import * as z from 'zod';
import { cardVerifier } from './official-client.ts';
import { testedService } from './tested-service.ts';

const jwks = () => `${testedService().baseUrl}/.well-known/jwks.json`;

/**
 * The SDK means the card as it is on the wire, whatever its types say: its own form of a card loses the
 * security schemes here.
 */
const plainCard = z.custom<AgentCard>((value) => typeof value === 'object');

/** As it is now, and not as the service has read it some seconds ago: `path` is the URL of the card. */
export async function fetchCurrentCard(path: string, key: string): Promise<unknown> {
  const response = await fetch(path, { headers: { 'x-api-key': key, 'cache-control': 'no-cache' } });
  expect(response.status, path).toBe(200);
  return await response.json();
}

/** The verifier of the official SDK. */
export const verifyWithSdk = async (card: unknown): Promise<void> =>
  await cardVerifier(jwks())(plainCard.parse(card));

/** What the client of the SDK does for `getAgentCard(options, verifier)`: it verifies the card that it parsed. */
export const verifyWithSdkClient = async (card: unknown) => await verifyWithSdk(SdkCard.fromJSON(card));

/**
 * A2A v1.0.1 §8.4.3 without the SDK: any signature that is valid for the canonical form of the card. It shares
 * no code with the service.
 */
export async function verifyBySpecification(card: unknown): Promise<void> {
  const { signatures, ...rest } = signed.parse(card);
  const payload = Buffer.from(canonicalCard(rest)).toString('base64url');
  await Promise.any(
    signatures.map(
      async (signature) =>
        await flattenedVerify({ ...signature, payload }, createRemoteJWKSet(new URL(jwks())), {
          algorithms: ['ES256'],
        }),
    ),
  );
}

export const canonicalCard = (card: object): string => toJcs(withoutDefaults(card, 'AgentCard'));

const signed = z.looseObject({
  signatures: z.array(z.object({ protected: z.string(), signature: z.string() })),
});

/**
 * The messages of a2a.proto that a card has. `keep` are the fields that are REQUIRED or `optional`, and so stay
 * even if they have the default of their type.
 */
const messages: Readonly<Record<string, { keep: string; fields: Readonly<Record<string, string>> }>> = {
  AgentCard: {
    keep: 'name description supportedInterfaces version documentationUrl capabilities defaultInputModes defaultOutputModes skills iconUrl',
    fields: {
      supportedInterfaces: 'AgentInterface',
      provider: 'AgentProvider',
      capabilities: 'AgentCapabilities',
      securitySchemes: 'map SecurityScheme',
      securityRequirements: 'SecurityRequirement',
      skills: 'AgentSkill',
    },
  },
  AgentInterface: { keep: 'url protocolBinding protocolVersion', fields: {} },
  AgentProvider: { keep: 'url organization', fields: {} },
  AgentCapabilities: {
    keep: 'streaming pushNotifications extendedAgentCard',
    fields: { extensions: 'AgentExtension' },
  },
  AgentExtension: { keep: 'params', fields: { params: 'Struct' } },
  SecurityScheme: {
    keep: 'apiKeySecurityScheme',
    fields: { apiKeySecurityScheme: 'APIKeySecurityScheme' },
  },
  APIKeySecurityScheme: { keep: 'location name', fields: {} },
  SecurityRequirement: { keep: '', fields: { schemes: 'map StringList' } },
  StringList: { keep: '', fields: {} },
  AgentSkill: {
    keep: 'id name description tags',
    fields: { securityRequirements: 'SecurityRequirement' },
  },
};

/** §8.4.1, rule 1. */
function withoutDefaults(value: unknown, type: string | undefined): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutDefaults(item, type));
  if (typeof value !== 'object' || value === null || type === 'Struct' || type === undefined) return value;
  if (type.startsWith('map '))
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, withoutDefaults(item, type.slice('map '.length))]),
    );
  const { keep, fields } = messages[type] ?? { keep: '', fields: {} };
  const kept = Object.entries(value)
    .map(([name, member]) => [name, withoutDefaults(member, fields[name])] as const)
    .filter(([name, member]) => keep.split(' ').includes(name) || !isDefault(member, fields[name]));
  return Object.fromEntries(kept);
}

/** A message that is set is not a default, even if it is empty (proto3 field presence); an empty map is. */
function isDefault(value: unknown, type: string | undefined): boolean {
  if (Array.isArray(value) || type?.startsWith('map ')) return Object.keys(Object(value)).length === 0;
  return value === '' || value === false || value === 0;
}

/** RFC 8785. */
function toJcs(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toJcs)}]`;
  if (!(value instanceof Object)) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${toJcs(Reflect.get(value, name))}`)}}`;
}

/** The URLs of the hosted URL itself, without those of the other bindings below it. */
export const listUrls = (card: { readonly supportedInterfaces: readonly Interface[] }) =>
  card.supportedInterfaces.map(({ url }) => url).filter((url) => url.endsWith('/'));

interface Interface {
  readonly url: string;
}
