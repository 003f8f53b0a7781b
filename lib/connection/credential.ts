// The schemas of credentials by connection type. From the request on, secrets have the type `Secret`, which
// does not print.
import * as z from 'zod';
import { isReservedHeader } from '#lib/egress/outgoing-headers.ts';
import { awsRegions, awsServices } from '#lib/flow/format/aws-use.ts';
import { secret } from '#lib/secret.ts';
import { webUrl } from '#lib/web-url.ts';

const latin1Line = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[\x20-\x7e\x80-\xff]*$/, 'must be one line of Latin-1 characters');
const secretText = latin1Line(8192).transform(secret);

const tokenUrl = webUrl({ protocol: /^https?$/, error: 'must be an https URL', max: 2048 }).refine(
  isPlainUrl,
  {
    error: 'must be an https URL without user or fragment',
  },
);
const scopes = z
  .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/))
  .max(50)
  .optional();

/** RFC 6749 §2.3.1: in the header unless the server wants them in the body. */
const clientAuth = z.enum(['basic', 'body']).optional();

export const credentials = {
  http_bearer: z.strictObject({ token: secretText }),
  http_header: z.strictObject({
    header: z
      .string()
      .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, 'must be a header name')
      .refine((name) => !isReservedHeader(name), 'is set by the connection and cannot be given'),
    value: secretText,
  }),
  http_query: z.strictObject({ parameter: latin1Line(100), value: secretText }),
  http_basic: z.strictObject({
    /** RFC 7617 §2: everything after the first colon is the password. */
    username: latin1Line(256).regex(/^[^:]*$/, 'must not have a colon'),
    password: secretText,
  }),
  oauth_client_credentials: z.strictObject({
    token_url: tokenUrl,
    client_id: latin1Line(1024),
    client_secret: secretText,
    client_auth: clientAuth,
    scopes,
  }),
  /** With tokens that were obtained elsewhere. */
  oauth_user: z.strictObject({
    token_url: tokenUrl,
    client_id: latin1Line(1024),
    client_secret: secretText.optional(),
    client_auth: clientAuth,
    refresh_token: secretText,
    access_token: secretText.optional(),
    expires_at: z.iso.datetime().optional(),
    scopes,
  }),
  /** Nothing of it is secret: the role trusts the account of the service, and the external id. */
  aws_sigv4: z.strictObject({
    role_arn: z
      .string()
      .max(2048)
      .regex(
        /^arn:aws(-[a-z]+)*:iam::[0-9]{12}:role\/agent-flow\/[\w+=,.@/-]{1,500}$/,
        'must be the ARN of a role whose path begins with /agent-flow/, such as arn:aws:iam::123456789012:role/agent-flow/search',
      ),
    services: awsServices(),
    regions: awsRegions(),
  }),
} as const;

export type OauthUser = z.output<(typeof credentials)['oauth_user']>;
export type AwsRole = z.output<(typeof credentials)['aws_sigv4']>;
export type OauthClient = z.output<(typeof credentials)['oauth_client_credentials']>;

function isPlainUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && !url.username && !url.password && !url.hash;
}
