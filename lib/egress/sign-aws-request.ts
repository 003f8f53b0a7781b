// Signature Version 4 of a request, over the bytes that are sent. Loaded with the first request that is signed.
import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import type { AwsScope } from '#lib/flow/format/aws-scope.ts';
import type { Secret } from '#lib/secret.ts';
import type { OutgoingRequest } from './http-round-trip.ts';

export interface SigningKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
  readonly sessionToken: Secret | undefined;
}

/** Proxies may change these, so that they are sent without being signed. */
const unsignedHeaders = new Set(['accept-encoding']);

export const signRequest =
  (keys: SigningKeys, scope: AwsScope, now: () => number) =>
  async (request: OutgoingRequest): Promise<OutgoingRequest> => {
    const url = withStrictEncoding(request.url);
    const signer = new SignatureV4({
      ...scope,
      credentials: toCredentials(keys),
      sha256: Sha256,
      // S3 takes the path as it is sent, the other services encode it once more.
      uriEscapePath: scope.service !== 's3',
    });
    const signed = await signer.sign(
      {
        method: request.method,
        protocol: url.protocol,
        hostname: url.hostname,
        path: url.pathname,
        query: toQuery(url),
        headers: { ...Object.fromEntries(withoutOwn(request.headers)), host: url.host },
        body: request.body ?? '',
      },
      { signingDate: new Date(now()), unsignableHeaders: unsignedHeaders },
    );
    const { host: _host, ...headers } = signed.headers;
    return { ...request, url, headers: new Headers(headers) };
  };

const toCredentials = ({ accessKeyId, secretAccessKey, sessionToken }: SigningKeys) => ({
  accessKeyId,
  secretAccessKey: secretAccessKey.reveal(),
  ...(sessionToken && { sessionToken: sessionToken.reveal() }),
});

const own = /^(authorization|x-amz-(date|security-token|content-sha256))$/;

const withoutOwn = (headers: Headers) => [...headers].filter(([name]) => !own.test(name));

/**
 * The form that AWS computes signatures over, so that what is sent has one reading: a `+` in a query is a space for
 * some services and a plus sign for others.
 */
function withStrictEncoding(from: URL): URL {
  const url = new URL(from);
  url.pathname = url.pathname.split('/').map(encodeSegment).join('/');
  url.search = [...url.searchParams].map((pair) => pair.map(encodeStrictly).join('=')).join('&');
  return url;
}

function encodeSegment(segment: string): string {
  try {
    return encodeStrictly(decodeURIComponent(segment));
  } catch {
    return segment;
  }
}

/** RFC 3986 §2.3: all but unreserved characters. */
const encodeStrictly = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

function toQuery({ searchParams }: URL): Record<string, string[]> {
  const query = new Map<string, string[]>();
  for (const [name, value] of searchParams) {
    const values = query.get(name);
    if (values) values.push(value);
    else query.set(name, [value]);
  }
  return Object.fromEntries(query);
}

/** As the signer wants it: an HMAC where it is made with a key. */
class Sha256 {
  private hash: Hash | Hmac;

  constructor(key?: string | ArrayBuffer | ArrayBufferView) {
    this.hash = key === undefined ? createHash('sha256') : createHmac('sha256', toBytes(key));
  }

  update(data: Uint8Array): void {
    this.hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.hash.digest();
  }

  reset(): void {
    this.hash = createHash('sha256');
  }
}

function toBytes(key: string | ArrayBuffer | ArrayBufferView): Buffer {
  if (typeof key === 'string') return Buffer.from(key);
  return key instanceof ArrayBuffer
    ? Buffer.from(key)
    : Buffer.from(key.buffer, key.byteOffset, key.byteLength);
}
