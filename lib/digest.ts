// Digests of text. What they compute depends on nothing else, so expressions of flows may use them.
import { createHash, createHmac } from 'node:crypto';

export type DigestAlgorithm = 'md5' | 'sha1' | 'sha256' | 'sha384' | 'sha512';

export const computeDigest = (algorithm: DigestAlgorithm, text: string): Buffer =>
  createHash(algorithm).update(text, 'utf8').digest();

export const computeHmac = (algorithm: DigestAlgorithm, text: string, key: string): Buffer =>
  createHmac(algorithm, Buffer.from(key, 'utf8')).update(text, 'utf8').digest();
