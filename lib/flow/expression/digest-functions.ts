// Hashes, and what is derived from the execution: `$uuid` and `$random` give the same if it is repeated.
import { computeDigest, computeHmac, type DigestAlgorithm } from '#lib/digest.ts';
import { callError, type Occasion, type OwnFunctions } from './own-function.ts';
import { countWork } from './step-budget.ts';

export const digestFunctions: OwnFunctions = {
  hash: {
    signature: '<s-s?s?:s>',
    parameters: 3,
    run: ([text, algorithm, encoding], { budget }) => {
      if (typeof text !== 'string') return undefined;
      countWork(budget, text.length);
      const found = findAlgorithm('hash', algorithm);
      return computeDigest(found, text).toString(findEncoding('hash', encoding));
    },
  },
  hmac: {
    signature: '<s-ss?s?:s>',
    parameters: 4,
    run: ([text, key, algorithm, encoding], { budget }) => {
      if (typeof text !== 'string') return undefined;
      if (typeof key !== 'string') throw callError('hmac', 'expected a key as argument 2');
      countWork(budget, text.length + key.length);
      const found = findAlgorithm('hmac', algorithm);
      return computeHmac(found, text, key).toString(findEncoding('hmac', encoding));
    },
  },
  uuid: {
    // An argument, as `$map` passes one, makes no difference.
    signature: '<x?:s>',
    parameters: 1,
    run: (_args, { occasion }) => toUuid(computeDigest('sha1', deriveName('uuid', occasion))),
  },
  random: {
    signature: '<(sn)?:n>',
    parameters: 1,
    run: ([seed], { occasion }) => {
      const name =
        seed === undefined ? deriveName('random', occasion) : `seed ${typeof seed} ${String(seed)}`;
      return toFraction(computeDigest('sha256', name));
    },
  },
};

/** The names of AWS Step Functions. */
const algorithms: Readonly<Record<string, DigestAlgorithm>> = {
  MD5: 'md5',
  'SHA-1': 'sha1',
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512',
};

function findAlgorithm(name: string, given: unknown): DigestAlgorithm {
  const asked = given === undefined ? 'SHA-256' : String(given).toUpperCase();
  const found = Object.hasOwn(algorithms, asked) ? algorithms[asked] : undefined;
  if (found) return found;
  throw callError(name, `expected one of the algorithms ${Object.keys(algorithms).join(', ')}`);
}

const encodings = ['hex', 'base64', 'base64url'] as const;

function findEncoding(name: string, given: unknown = 'hex'): (typeof encodings)[number] {
  const found = encodings.find((encoding) => encoding === given);
  if (found) return found;
  throw callError(name, `expected one of the encodings ${encodings.join(', ')}`);
}

/** Different for each call, and the same if the evaluation is repeated. */
const deriveName = (what: string, occasion: Occasion) => `${what} ${occasion.seed} ${occasion.derived++}`;

/** A UUID of version 5, which is derived from a name (RFC 9562, section 5.5). */
function toUuid(digest: Buffer): string {
  const bytes = Buffer.from(digest.subarray(0, 16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** From 0, below 1; 48 bits of the digest. */
const toFraction = (digest: Buffer) => digest.readUIntBE(0, 6) / 2 ** 48;
