// Reads Agent Cards as a client does that trusts nothing: over HTTP, with their signatures verified.
import { type AgentCard, canonicalizeAgentCard, verifyAgentCardSignature } from '@a2a-js/sdk';
import { createRemoteJWKSet, flattenedVerify, importJWK, type JWK } from 'jose';
import { expect, inject } from 'vitest';
import * as z from 'zod';
import { agentCard } from '#lib/registry/row/agent-card.ts';

const jwks = () => `${inject('service').baseUrl}/.well-known/jwks.json`;
const keySet = z.object({ keys: z.array(z.looseObject({ kid: z.string(), kty: z.string() })) });

/**
 * The SDK means the card as it is on the wire, whatever its types say: its own form of a card loses the
 * security schemes here.
 */
const plainCard = z.custom<AgentCard>((value) => typeof value === 'object');

/** The verifier of the official SDK, with the key that the card itself points to, which must be ours. */
export async function verifyWithSdk(card: unknown): Promise<void> {
  await verifyAgentCardSignature(async (kid, jku) => {
    expect(jku).toBe(jwks());
    const { keys } = keySet.parse(await (await fetch(jwks())).json());
    const found: JWK | undefined = keys.find((key) => key.kid === kid);
    if (!found) throw new Error(`The key ${kid} is not published.`);
    const key = await importJWK(found, 'ES256');
    if (key instanceof Uint8Array) throw new Error('Expected a public key.');
    return key;
  })(plainCard.parse(card));
}

/** The same without the SDK's verifier: a detached JWS of RFC 7515 over the canonical form. */
export async function verifyWithJose(card: unknown): Promise<void> {
  const { signatures = [] } = agentCard.parse(card);
  expect(signatures).toHaveLength(1);
  const [signature] = signatures;
  const payload = Buffer.from(canonicalizeAgentCard(plainCard.parse(card))).toString('base64url');
  await flattenedVerify(
    { protected: signature?.protected ?? '', signature: signature?.signature ?? '', payload },
    createRemoteJWKSet(new URL(jwks())),
    { algorithms: ['ES256'] },
  );
}

export const listUrls = (card: { readonly supportedInterfaces: readonly { readonly url: string }[] }) =>
  card.supportedInterfaces.map(({ url }) => url);
