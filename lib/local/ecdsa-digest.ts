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
/** The point at infinity, the zero of the addition. */
type MaybePoint = Point | undefined;

/** DER signature, as KMS returns it. */
export function signDigest(privateKey: KeyObject, digest: Buffer): Buffer {
  const d = fromBase64Url(privateKey.export({ format: 'jwk' }).d);
  for (;;) {
    const k = mod(number(randomBytes(40)), n);
    const r = mod(times(k, g)?.x ?? 0n, n);
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
  const sum = plus(own, theirs);
  return sum !== undefined && mod(sum.x, n) === r;
}

function times(factor: bigint, point: Point): MaybePoint {
  let sum: MaybePoint;
  let doubled: MaybePoint = point;
  for (let rest = factor; rest > 0n; rest >>= 1n) {
    if (rest & 1n) sum = plus(sum, doubled);
    doubled = plus(doubled, doubled);
  }
  return sum;
}

function plus(left: MaybePoint, right: MaybePoint): MaybePoint {
  if (!left) return right;
  if (!right) return left;
  if (left.x === right.x && mod(left.y + right.y, p) === 0n) return undefined;
  const slope =
    left.x === right.x
      ? (3n * left.x * left.x - 3n) * inverse(2n * left.y, p)
      : (right.y - left.y) * inverse(right.x - left.x, p);
  const x = mod(slope * slope - left.x - right.x, p);
  return { x, y: mod(slope * (left.x - x) - left.y, p) };
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
