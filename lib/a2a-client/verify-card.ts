// Verifies the signatures of an Agent Card (A2A v1.0.1 §8.4) by the keys of the card's own origin. A card names
// its keys itself, so those of another origin prove nothing. Import this file lazily only.
import { createLocalJWKSet, decodeProtectedHeader, errors, flattenedVerify, type JSONWebKeySet } from 'jose';
import * as z from 'zod';
import type { GuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { hostName } from '#lib/egress/network-failure.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import { jsonObject } from '#lib/json/json.ts';
import { tryParse } from '#lib/json/try-parse.ts';
import { listSignedForms } from './signed-forms.ts';

/** No symmetric algorithm: whoever can verify by one can also sign. */
const algorithms = [
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
];
const signaturesMax = 5;

export interface KeySource {
  /** Without credentials. */
  readonly fetch: GuardedFetch;
  readonly egress: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Returns what is signed of the card, which can be less than is served: the forms of the SDKs leave unknown
 * members out. Throws `a2a.unverified` unless a signature is valid by a key of the origin of `url`.
 */
export async function verifyCard(card: unknown, url: string, source: KeySource): Promise<object> {
  const { origin } = new URL(url);
  const { signatures, ...content } = signedCard.safeParse(card).data ?? { signatures: [] };
  if (signatures.length === 0) throw unverified(url, 'is not signed');
  const own = signatures.slice(0, signaturesMax).filter((one) => findKeySet(one, origin) !== undefined);
  if (own.length === 0) throw unverified(url, `has no signature whose \`jku\` is a URL of ${origin}`);
  const forms = listSignedForms(jsonObject.parse(content));
  for (const signature of own) {
    const form = await findSigned(signature, forms, origin, source);
    if (form !== undefined) return { capabilities: {}, ...JSON.parse(form) };
  }
  throw unverified(url, `has no signature that is valid by a key of ${origin}`);
}

const signature = z.object({ protected: z.string(), signature: z.string() });
const signedCard = z.looseObject({ signatures: z.array(signature) });
type Signature = z.infer<typeof signature>;

const unverified = (url: string, why: string) =>
  new NodeError('a2a.unverified', `The Agent Card of ${hostName(url)} ${why}.`);

/** The URL of the keys; undefined if it is of another origin. */
function findKeySet({ protected: header }: Signature, origin: string): string | undefined {
  try {
    const jku = URL.parse(String(decodeProtectedHeader({ protected: header }).jku));
    return jku?.origin === origin ? jku.href : undefined;
  } catch {
    return undefined;
  }
}

/** The form for which the signature is valid; undefined if there is none. */
async function findSigned(
  signature: Signature,
  forms: readonly string[],
  origin: string,
  source: KeySource,
): Promise<string | undefined> {
  const jku = findKeySet(signature, origin) ?? '';
  const keys = await readKeys(jku, source);
  const result = await verifyForms(signature, forms, keys.set);
  if (result.hasKey || performance.now() - keys.readAt < keysFreshMs) return result.form;
  known.delete(jku);
  return (await verifyForms(signature, forms, (await readKeys(jku, source)).set)).form;
}

interface Verification {
  readonly hasKey: boolean;
  readonly form?: string;
}

async function verifyForms(
  signature: Signature,
  forms: readonly string[],
  set: JSONWebKeySet,
): Promise<Verification> {
  const getKey = createLocalJWKSet(set);
  for (const form of forms) {
    const payload = Buffer.from(form).toString('base64url');
    try {
      await flattenedVerify({ ...signature, payload }, getKey, { algorithms });
      return { hasKey: true, form };
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) return { hasKey: false };
    }
  }
  return { hasKey: true };
}

interface KnownKeys {
  readonly set: JSONWebKeySet;
  readonly readAt: number;
}

/** By the URL of the key set. The keys are public, so that all runs of the process share them. */
const known = new Map<string, KnownKeys>();
const knownMax = 100;
const keysMaxAgeMs = 600_000;
/** Keys that were read so recently are not read again for a key that they lack. */
const keysFreshMs = 30_000;
const keyLimits = { responseBytesMax: 64 * 1024, headersMs: 10_000, bodyMs: 10_000 };

async function readKeys(jku: string, { fetch, egress, signal }: KeySource): Promise<KnownKeys> {
  const before = known.get(jku);
  if (before && performance.now() - before.readAt < keysMaxAgeMs) return before;
  // A redirect could lead to keys of another origin.
  const response = await fetch(jku, { redirect: 'error', egress, limits: keyLimits, signal });
  const text = await response.text();
  const set = response.ok ? keySet.safeParse(tryParse(text)).data : undefined;
  if (!set) throw unverified(jku, 'names keys that cannot be read');
  const keys = { set, readAt: performance.now() };
  known.delete(jku);
  known.set(jku, keys);
  for (const oldest of [...known.keys()].slice(0, -knownMax)) known.delete(oldest);
  return keys;
}

const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(100) });
