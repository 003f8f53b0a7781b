// Signature Version 4 of a request, over the bytes that are sent. Loaded with the first request that is signed.
import { createSigner, encodeStrictly, type SigningKeys } from '#lib/aws-signer.ts';
import type { AwsScope } from '#lib/flow/format/aws-scope.ts';
import type { Secret } from '#lib/secret.ts';
import type { OutgoingRequest } from './http-round-trip.ts';

export interface SecretSigningKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
  readonly sessionToken: Secret | undefined;
}

/** Proxies may change these, so that they are sent without being signed. */
const unsignedHeaders = new Set(['accept-encoding']);

export const signRequest =
  (keys: SecretSigningKeys, scope: AwsScope, now: () => number) =>
  async (request: OutgoingRequest): Promise<OutgoingRequest> => {
    const url = withStrictEncoding(request.url);
    const signer = createSigner(reveal(keys), scope);
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

const reveal = ({ accessKeyId, secretAccessKey, sessionToken }: SecretSigningKeys): SigningKeys => ({
  accessKeyId,
  secretAccessKey: secretAccessKey.reveal(),
  sessionToken: sessionToken?.reveal(),
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

function toQuery({ searchParams }: URL): Record<string, string[]> {
  const query = new Map<string, string[]>();
  for (const [name, value] of searchParams) {
    const values = query.get(name);
    if (values) values.push(value);
    else query.set(name, [value]);
  }
  return Object.fromEntries(query);
}
