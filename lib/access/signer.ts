// The tenant's signing key: an ECC P-256 key in KMS. Signs JWS (RFC 7515) with ES256, and publishes the
// public half; while keys are rotated, also that of a second key.
import { createPublicKey, hash } from 'node:crypto';
import { GetPublicKeyCommand, SignCommand } from '@aws-sdk/client-kms';
import { base64url, calculateJwkThumbprint, type JWK } from 'jose';
import { optionalEnv, requireEnv } from '#lib/env.ts';
import { kms } from '#lib/kms.ts';

export type PublicJwk = JWK & { readonly kty: string; readonly kid: string };

const read = new Map<string, Promise<PublicJwk>>();

/** The public half of the key that signs. */
export const publicKey = (): Promise<PublicJwk> => publicHalf(requireEnv('SIGNING_KEY_ID'));

/**
 * All keys whose signatures are good: the one that signs, and during a rotation the one before or after it.
 */
export async function publishedKeys(): Promise<PublicJwk[]> {
  const other = optionalEnv('SIGNING_KEY_ID_OTHER');
  return await Promise.all([publicKey(), ...(other === undefined ? [] : [publicHalf(other)])]);
}

/**
 * A published key by its name; undefined for any other name. The second key is read only when the first is
 * not meant.
 */
export async function publishedKey(kid: string): Promise<PublicJwk | undefined> {
  const current = await publicKey();
  if (current.kid === kid) return current;
  return (await publishedKeys()).find((key) => key.kid === kid);
}

/** One KMS call per process and key; a failed call is not remembered. */
function publicHalf(keyId: string): Promise<PublicJwk> {
  const known = read.get(keyId);
  if (known !== undefined) return known;
  const reading = readPublicKey(keyId).catch((error: unknown) => {
    read.delete(keyId);
    throw error;
  });
  read.set(keyId, reading);
  return reading;
}

async function readPublicKey(KeyId: string): Promise<PublicJwk> {
  const { PublicKey } = await kms.send(new GetPublicKeyCommand({ KeyId }));
  if (!PublicKey) throw new Error('KMS returned no public key.');
  const jwk: JWK = createPublicKey({ key: Buffer.from(PublicKey), format: 'der', type: 'spki' }).export({
    format: 'jwk',
  });
  return { ...jwk, kty: 'EC', kid: await calculateJwkThumbprint(jwk), alg: 'ES256', use: 'sig' };
}

export interface Jws {
  readonly protected: string;
  readonly payload: string;
  readonly signature: string;
}

/** `alg` and `kid` are added to the header. One KMS call. */
export async function signJws(header: Readonly<Record<string, string>>, payload: string): Promise<Jws> {
  const { kid } = await publicKey();
  const head = base64url.encode(JSON.stringify({ alg: 'ES256', kid, ...header }));
  const body = base64url.encode(payload);
  return { protected: head, payload: body, signature: await signJwsInput(`${head}.${body}`) };
}

/**
 * Signs a JWS signing input (RFC 7515 §5.1). KMS gets its digest, as it takes no message above 4,096 bytes
 * and cards are longer.
 */
export async function signJwsInput(signingInput: string): Promise<string> {
  const { Signature } = await kms.send(
    new SignCommand({
      KeyId: requireEnv('SIGNING_KEY_ID'),
      SigningAlgorithm: 'ECDSA_SHA_256',
      MessageType: 'DIGEST',
      Message: hash('sha256', signingInput, 'buffer'),
    }),
  );
  if (!Signature) throw new Error('KMS returned no signature.');
  return base64url.encode(rawSignature(Signature));
}

/**
 * KMS answers ASN.1 DER (SEQUENCE of two INTEGERs); JWS wants the two 32-byte numbers in a row (RFC 7518
 * §3.4).
 */
function rawSignature(der: Uint8Array): Uint8Array {
  const raw = new Uint8Array(64);
  let at = 2;
  for (const end of [32, 64]) {
    const length = der[at + 1] ?? 0;
    const integer = der.subarray(at + 2, at + 2 + length);
    const number = integer[0] === 0 ? integer.subarray(1) : integer;
    raw.set(number, end - number.length);
    at += 2 + length;
  }
  return raw;
}
