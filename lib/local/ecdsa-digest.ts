// ECDSA on P-256 over a digest that is already made, which KMS offers and node:crypto does not.
import type { KeyObject } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';

/** The digest is signed as it is; like KMS and node:crypto, `s` may be above half the order of the curve (FIPS 186-5). */
const options = { prehash: false, lowS: false, format: 'der' } as const;

/** DER signature, as KMS returns it. */
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
    // Thrown for a signature of a length that none has.
    return false;
  }
}

const coordinate = (key: KeyObject, name: 'd' | 'x' | 'y'): Buffer =>
  Buffer.from(key.export({ format: 'jwk' })[name] ?? '', 'base64url');
