// Signs requests to S3 in their query parameters (Signature Version 4, "Authenticating Requests: Using Query
// Parameters" in the S3 reference). Nothing is sent here: S3 checks the signature when the request arrives.
import { createHash, createHmac } from 'node:crypto';
import { encodeStrictly, type SigningKeys } from '#lib/aws-signer.ts';

export interface PresignedRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** Without a query. Its path is encoded already. */
  readonly url: URL;
  readonly query?: Readonly<Record<string, string>>;
  /** By lower-case name. The request must have exactly these. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly expiresSeconds: number;
  /** Ms since 1970. */
  readonly now: number;
}

/** The URL with the signature, for one method, key, set of headers and time. */
export function presign(
  { method, url, query = {}, headers = {}, expiresSeconds, now }: PresignedRequest,
  credentials: SigningKeys,
  region: string,
): string {
  const time = new Date(now).toISOString().replace(/\.\d{3}|[-:]/g, '');
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const signed = Object.entries({ ...headers, host: url.host }).sort(byName);
  const signedNames = signed.map(([name]) => name).join(';');
  const parameters = toQuery({
    ...query,
    'X-Amz-Algorithm': algorithm,
    'X-Amz-Credential': `${credentials.accessKeyId}/${scope}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': String(expiresSeconds),
    ...(credentials.sessionToken && { 'X-Amz-Security-Token': credentials.sessionToken }),
    'X-Amz-SignedHeaders': signedNames,
  });
  const canonical = [
    method,
    url.pathname,
    parameters,
    ...signed.map(([name, value]) => `${name}:${value.trim()}`),
    '',
    signedNames,
    'UNSIGNED-PAYLOAD',
  ].join('\n');
  const text = [algorithm, time, scope, createHash('sha256').update(canonical).digest('hex')].join('\n');
  const key = signingKey(credentials.secretAccessKey, scope);
  return `${url.origin}${url.pathname}?${parameters}&X-Amz-Signature=${hmac(key, text).toString('hex')}`;
}

const algorithm = 'AWS4-HMAC-SHA256';

/** The key is good for one day, one region and one service. */
const signingKey = (secret: string, scope: string): Buffer =>
  scope.split('/').reduce<Buffer>((key, part) => hmac(key, part), Buffer.from(`AWS4${secret}`));

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

const toQuery = (parameters: Readonly<Record<string, string>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => [encodeStrictly(name), encodeStrictly(value)] as const)
    .sort(byName)
    .map((pair) => pair.join('='))
    .join('&');

const byName = ([left]: readonly [string, string], [right]: readonly [string, string]): number =>
  left < right ? -1 : 1;
