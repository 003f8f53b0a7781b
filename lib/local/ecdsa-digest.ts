// ECDSA on P-256 over a given digest, which KMS supports and node:crypto does not.
import type { KeyObject } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';

/**
 * The digest is not hashed again. As with KMS and node:crypto, `s` may exceed half the curve order (FIPS
 * 186-5).
 */
const options = { prehash: false, lowS: false, format: 'der' } as const;

/** Returns a DER signature, as KMS does. */
export function signDigest(privateKey: KeyObject, digest: Buffer): Buffer {
  return Buffer.from(p256.sign(digest, coordinate(privateKey, 'd'), options));
}

export function verifyDigest(publicKey: KeyObject, digest: Buffer, signature: Buffer): boolean {
  const uncompressed = Buffer.concat([
    Buffer.from([4]),
    coordinate(publicKey, 'x'),
    coordinate(publicKey, 'y'),
  ]);
  try {
    return p256.verify(signature, digest, uncompressed, options);
  } catch {
    // Thrown if the signature has an impossible length.
    return false;
  }
}

const coordinate = (key: KeyObject, name: 'd' | 'x' | 'y'): Buffer =>
  Buffer.from(key.export({ format: 'jwk' })[name] ?? '', 'base64url');
