// The signatures of a card (A2A v1.0.1 §8.4): which forms of it are signed, and how.
import { canonicalizeAgentCard, AgentCard as SdkCard } from '@a2a-js/sdk';
import * as z from 'zod';
import { signJws } from '#lib/access/signer.ts';
import { canonicalJson } from '#lib/json/canonical.ts';
import { json } from '#lib/json/json.ts';
import type { AgentCard } from '../row/agent-card.ts';
import type { Signature } from '../row/stored-row.ts';

/** One for each form that clients verify: any that is valid is enough for them. */
export async function signCard(card: AgentCard, gatewayUrl: string): Promise<[Signature, ...Signature[]]> {
  const header = { typ: 'JOSE', jku: `${gatewayUrl}/.well-known/jwks.json` };
  const sign = async (payload: string): Promise<Signature> => {
    const jws = await signJws(header, payload);
    return { protected: jws.protected, signature: jws.signature };
  };
  const [standard, ...others] = signedForms(card);
  return await Promise.all([sign(standard), ...others.map(sign)]);
}

/**
 * The first is that of §8.4.1: RFC 8785 of the card, whose members are never their defaults. The others are
 * those of the SDKs where they differ: the Python SDK removes empty values within the parameters of
 * extensions too, and the client of the JavaScript SDK also the security schemes, since it verifies a card
 * that it has parsed.
 */
export function signedForms({ signatures: _, ...card }: AgentCard): [string, ...string[]] {
  const standard = canonicalJson(json.parse(card));
  const python = canonicalizeAgentCard(sdkCard.parse(card));
  const javascript = canonicalizeAgentCard(SdkCard.fromJSON(card));
  return [standard, ...new Set([python, javascript].filter((form) => form !== standard))];
}

/** The function takes plain ProtoJSON, which its own type does not describe. */
const sdkCard = z.custom<SdkCard>((value) => typeof value === 'object');
