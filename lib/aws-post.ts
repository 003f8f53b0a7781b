// A POST request to an AWS service that is sent without a client of the AWS SDK: its address, and its signature with
// the credentials of the function.
import { createSigner, type SigningKeys, type SigningScope } from '#lib/aws-signer.ts';

/** The variables of the SDKs, for VPC endpoints and the local host; `AWS_ENDPOINT_URL` is for all services. */
const endpointVariables = {
  lambda: 'AWS_ENDPOINT_URL_LAMBDA',
  secretsmanager: 'AWS_ENDPOINT_URL_SECRETS_MANAGER',
  sts: 'AWS_ENDPOINT_URL_STS',
} as const;

export function awsEndpoint(service: keyof typeof endpointVariables, region: string): string {
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const { [endpointVariables[service]]: own, AWS_ENDPOINT_URL: shared } = process.env;
  return own ?? shared ?? `https://${service}.${region}.${domain}/`;
}

export interface UnsignedRequest {
  /** Without a query. */
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  readonly at: Date;
}

/** Lambda sets these variables, with credentials that are valid for as long as the process lives. */
export function readLambdaCredentials(): SigningKeys & Pick<SigningScope, 'region'> {
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
export async function signedHeaders(
  { url, headers: given, body, at }: UnsignedRequest,
  keys: SigningKeys,
  scope: SigningScope,
): Promise<Readonly<Record<string, string>>> {
  const request = {
    method: 'POST',
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    headers: { ...given, host: url.host },
    body,
  };
  const { host: _host, ...headers } = (await createSigner(keys, scope).sign(request, { signingDate: at }))
    .headers;
  return headers;
}
