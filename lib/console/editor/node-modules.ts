// What the engine uses of Node.js, for browsers: the build of the flow worker puts this file in place of the modules
// `node:crypto`, `node:timers/promises`, `node:util` and `node:vm`.
import { hmac } from '@noble/hashes/hmac.js';
import { md5, sha1 } from '@noble/hashes/legacy.js';
import { sha256, sha384, sha512 } from '@noble/hashes/sha2.js';
import { Buffer } from './node-globals.ts';

const algorithms = { md5, sha1, sha256, sha384, sha512 };
type Algorithm = keyof typeof algorithms;

interface Hash {
  readonly update: (text: string) => Hash;
  readonly digest: () => Uint8Array;
}

export const createHash = (algorithm: Algorithm): Hash => hashText((bytes) => algorithms[algorithm](bytes));

export const createHmac = (algorithm: Algorithm, key: Uint8Array): Hash =>
  hashText((bytes) => hmac(algorithms[algorithm], key, bytes));

function hashText(compute: (bytes: Uint8Array) => Uint8Array): Hash {
  let text = '';
  const hash: Hash = {
    update: (more) => {
      text += more;
      return hash;
    },
    digest: () => Buffer.from(compute(new TextEncoder().encode(text))),
  };
  return hash;
}

export const randomBytes = (count: number): Uint8Array =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(count)));

export const setTimeout = (ms: number): Promise<void> =>
  new Promise((resolve) => globalThis.setTimeout(resolve, ms));

/** The engine compares JSON values. */
export function isDeepStrictEqual(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b);
  const names = Object.keys(a);
  return (
    Array.isArray(a) === Array.isArray(b) &&
    names.length === Object.keys(b).length &&
    names.every(
      (name) => Object.hasOwn(b, name) && isDeepStrictEqual(Reflect.get(a, name), Reflect.get(b, name)),
    )
  );
}

/** The policy of the console compiles no text as code: mistakes in the syntax of code are found at the registration. */
export const compileFunction = (): void => {};
