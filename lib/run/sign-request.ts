// Signature Version 4 of a POST request to an AWS service, with the credentials of the function. The path has no
// characters that need an encoding of their own, and there is no query.
import { createHash } from 'node:crypto';
import { algorithm, hmac, type SigningCredentials, signingKey } from '#lib/file/presign.ts';

export interface AwsCredentials extends SigningCredentials {
  readonly region: string;
}

export interface UnsignedRequest {
  readonly url: URL;
  readonly body: string;
  readonly service: string;
  readonly at: Date;
}

/** Lambda sets these variables, with credentials that are valid for as long as the process lives. */
export function readLambdaCredentials(): AwsCredentials {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION } = process.env;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY || !AWS_REGION)
    throw new Error('The environment has no AWS credentials.');
  return {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    sessionToken: AWS_SESSION_TOKEN,
    region: AWS_REGION,
  };
}

/** The headers to send, except `host`, which the HTTP client adds. */
export function signedHeaders(
  request: UnsignedRequest,
  credentials: AwsCredentials,
): Readonly<Record<string, string>> {
  const { url, body, service, at } = request;
  const { accessKeyId, secretAccessKey, sessionToken, region } = credentials;
  const time = at.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const headers: Record<string, string> = {
    'x-amz-date': time,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  };
  const signed = Object.entries({ host: url.host, ...headers });
  const names = signed.map(([name]) => name).join(';');
  const canonical = [
    'POST',
    url.pathname,
    '',
    ...signed.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    hash(body),
  ].join('\n');
  const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`;
  const text = [algorithm, time, scope, hash(canonical)].join('\n');
  const signature = hmac(signingKey(secretAccessKey, scope), text).toString('hex');
  const authorization = `${algorithm} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...headers, authorization };
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
