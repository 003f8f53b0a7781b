// ECDSA on P-256 over a digest that is already made, which KMS offers and node:crypto does not. For the local KMS only: BigInt
// arithmetic takes longer for some numbers than for others, which production code must never do with a private key.
import { type KeyObject, randomBytes } from 'node:crypto';

/** The curve P-256 of FIPS 186-5: y² = x³ − 3x + b mod p, base point g of order n. */
const p = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
const n = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const g: Point = {
  x: 0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n,
  y: 0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n,
};

type Point = { readonly x: bigint; readonly y: bigint };
/** Jacobian coordinates of the point x/z², y/z³, so that an addition needs no division; z is 0 for the point at infinity, the zero of the addition. */
type Jacobian = { readonly x: bigint; readonly y: bigint; readonly z: bigint };
const zero: Jacobian = { x: 1n, y: 1n, z: 0n };

/** DER signature, as KMS returns it. */
export function signDigest(privateKey: KeyObject, digest: Buffer): Buffer {
  const d = fromBase64Url(privateKey.export({ format: 'jwk' }).d);
  for (;;) {
    const k = mod(number(randomBytes(40)), n);
    const r = mod(affineX(times(k, g)) ?? 0n, n);
    const s = mod(inverse(k, n) * (number(digest) + r * d), n);
    if (r > 0n && s > 0n) return encode(r, s);
  }
}

export function verifyDigest(publicKey: KeyObject, digest: Buffer, signature: Buffer): boolean {
  const [r, s] = decode(signature) ?? [0n, 0n];
  if (r < 1n || s < 1n || r >= n || s >= n) return false;
  const { x, y } = publicKey.export({ format: 'jwk' });
  const w = inverse(s, n);
  const own = times(mod(number(digest) * w, n), g);
  const theirs = times(mod(r * w, n), { x: fromBase64Url(x), y: fromBase64Url(y) });
  const x1 = affineX(plus(own, theirs));
  return x1 !== undefined && mod(x1, n) === r;
}

/** By the bits of the factor: the sum of those doubles of the point whose bits are set. */
function times(factor: bigint, point: Point): Jacobian {
  const doubles = point === g ? doublesOfG() : doublesOf(point);
  let sum = zero;
  for (let bit = 0, rest = factor; rest > 0n; bit += 1, rest >>= 1n)
    if (rest & 1n) sum = plus(sum, doubles[bit] ?? zero);
  return sum;
}

/** The point times 1, 2, 4 and so on, for factors of 256 bits. */
function doublesOf(point: Point): readonly Jacobian[] {
  const doubles: Jacobian[] = [];
  for (let next: Jacobian = { ...point, z: 1n }; doubles.length < 256; next = twice(next)) doubles.push(next);
  return doubles;
}

let knownDoublesOfG: readonly Jacobian[] | undefined;
/** Computed once: every signature needs them, which more than halves its time. */
function doublesOfG(): readonly Jacobian[] {
  knownDoublesOfG ??= doublesOf(g);
  return knownDoublesOfG;
}

/** The usual formulas for Jacobian coordinates and a = −3 (Cohen, Miyaji, Ono 1998; dbl-2001-b and add-1998-cmo-2 of the EFD). */
function twice({ x, y, z }: Jacobian): Jacobian {
  const delta = mod(z * z, p);
  const gamma = mod(y * y, p);
  const beta = mod(x * gamma, p);
  const alpha = mod(3n * (x - delta) * (x + delta), p);
  const x3 = mod(alpha * alpha - 8n * beta, p);
  const y3 = mod(alpha * (4n * beta - x3) - 8n * gamma * gamma, p);
  return { x: x3, y: y3, z: mod(2n * y * z, p) };
}

function plus(left: Jacobian, right: Jacobian): Jacobian {
  if (left.z === 0n) return right;
  if (right.z === 0n) return left;
  const [leftZ2, rightZ2] = [mod(left.z * left.z, p), mod(right.z * right.z, p)];
  const u = mod(left.x * rightZ2, p);
  const s = mod(left.y * rightZ2 * right.z, p);
  const h = mod(right.x * leftZ2 - u, p);
  const r = mod(right.y * leftZ2 * left.z - s, p);
  if (h === 0n) return r === 0n ? twice(left) : zero;
  const h2 = mod(h * h, p);
  const h3 = mod(h * h2, p);
  const x = mod(r * r - h3 - 2n * u * h2, p);
  return { x, y: mod(r * (u * h2 - x) - s * h3, p), z: mod(h * left.z * right.z, p) };
}

/** Undefined for the point at infinity. */
function affineX({ x, z }: Jacobian): bigint | undefined {
  if (z === 0n) return undefined;
  const inverseOfZ = inverse(z, p);
  return mod(x * inverseOfZ * inverseOfZ, p);
}

const mod = (value: bigint, modulus: bigint) => ((value % modulus) + modulus) % modulus;

/** Extended Euclid. */
function inverse(value: bigint, modulus: bigint): bigint {
  let [a, b, x, y] = [mod(value, modulus), modulus, 1n, 0n];
  while (b > 0n) {
    const quotient = a / b;
    [a, b] = [b, a % b];
    [x, y] = [y, x - quotient * y];
  }
  return mod(x, modulus);
}

const number = (bytes: Buffer) => BigInt(`0x${bytes.toString('hex')}`);
const fromBase64Url = (text = '') => number(Buffer.from(text, 'base64url'));

/** SEQUENCE { INTEGER r, INTEGER s }; both fit in 33 bytes, so every length is one byte. */
function encode(r: bigint, s: bigint): Buffer {
  const body = Buffer.concat([integer(r), integer(s)]);
  return Buffer.concat([Buffer.from([0x30, body.length]), body]);
}

function integer(value: bigint): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex');
  const signed = (bytes[0] ?? 0) < 0x80 ? bytes : Buffer.concat([Buffer.from([0]), bytes]);
  return Buffer.concat([Buffer.from([0x02, signed.length]), signed]);
}

function decode(der: Buffer): [bigint, bigint] | undefined {
  const rLength = der[3] ?? 0;
  const sLength = der[5 + rLength] ?? 0;
  const isWellFormed =
    der[0] === 0x30 && der[1] === der.length - 2 && der[2] === 0x02 && der[4 + rLength] === 0x02;
  if (!isWellFormed || rLength === 0 || sLength === 0 || der.length !== 6 + rLength + sLength)
    return undefined;
  return [number(der.subarray(4, 4 + rLength)), number(der.subarray(6 + rLength))];
}
