// The declaration of a connection in a flow: the type of credential, whose it is, and for which hosts. A flow
// never contains the value.
import * as z from 'zod';
import { lazy } from '#lib/lazy.ts';
import { webUrl } from '#lib/web-url.ts';
import { awsRegions, awsServices } from './aws-use.ts';
import { declaredName, hostEntry } from './declaration.ts';
import { limits } from './limits.ts';
import { apart, exactlyOne, named, needs, needsWhere, ruled } from './notes.ts';

export const connectionTypes = [
  'http_bearer',
  'http_header',
  'http_query',
  'http_basic',
  'oauth_client_credentials',
  'oauth_user',
  'aws_sigv4',
] as const;

/**
 * `organization`: one value for all runs in the workspace. `user`: one value for each caller that starts
 * runs.
 */
export const connectionScope = z.enum(['organization', 'user']);
export type ConnectionScope = z.infer<typeof connectionScope>;

export const connectionLabel = () => z.string().min(1).max(200);
/** The hosts of one connection. */
export const connectionHosts = () => z.array(hostEntry()).min(1).max(limits.connectionHostsMax);

const oauthUrl = (description: string) =>
  webUrl({ protocol: /^https?$/, error: 'expected an https URL', max: 2048 }).meta({ description });

/** Where the browser of a person is sent to give access, and as which client. None of it is secret. */
const oauthAuthorization = () =>
  ruled(
    z
      .strictObject({
        authorization_url: oauthUrl(
          'Authorization endpoint of the server. It may have parameters, such as `access_type=offline`.',
        ),
        token_url: oauthUrl('Token endpoint of the server, for a client without a secret.').optional(),
        client_id: z
          .string()
          .min(1)
          .max(1024)
          .optional()
          .meta({ description: 'Id of a client without a secret.' }),
        client: declaredName().optional().meta({
          description:
            'Name of a connection of type `oauth_client_credentials` of the flow: its token endpoint, client and secret.',
        }),
        scopes: z
          .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/, 'expected a scope without spaces'))
          .max(50)
          .optional()
          .meta({ description: 'What access is asked for.' }),
        issuer: oauthUrl(
          'Issuer that the server names in its responses (RFC 9207), unless it is the origin of `authorization_url`.',
        ).optional(),
      })
      .meta({
        description: 'The authorization endpoint of an OAuth server, and the client of the service there.',
      }),
    [
      exactlyOne('client', 'client_id'),
      needs('client_id', 'token_url', ['client_id']),
      needs('token_url', 'client_id', ['token_url']),
    ],
    'oauthAuthorization',
  );

/** Which requests a role of AWS signs. */
const awsUse = () =>
  named(
    'awsUse',
    z
      .strictObject({
        services: awsServices().meta({
          description: 'Services as signatures name them, such as `bedrock`, `s3` or `execute-api`.',
        }),
        regions: awsRegions().meta({ description: 'Regions of these services.' }),
      })
      .meta({ description: 'The services and regions of AWS whose requests are signed.' }),
  );

const otherThan = (type: (typeof connectionTypes)[number]) =>
  connectionTypes.filter((other) => other !== type);

export const connectionDeclaration = /* @__PURE__ */ lazy(() =>
  ruled(
    z
      .strictObject({
        type: z.enum(connectionTypes).meta({
          description:
            'What the request carries: a bearer token, a header, a parameter, a password, an OAuth token, or the signature of a role of AWS.',
        }),
        scope: connectionScope.optional().meta({
          description:
            'Whose credential it is: that of the workspace, or that of the caller who started the run.',
          default: 'organization',
        }),
        label: connectionLabel()
          .optional()
          .meta({ description: 'Label of the connection where people enter its value.' }),
        hosts: connectionHosts().meta({ description: 'Hosts that the credential may be sent to.' }),
        oauth: oauthAuthorization().optional().meta({
          description: 'How a person connects an account in a browser; only for the type `oauth_user`.',
        }),
        aws: awsUse().optional().meta({
          description:
            'The services and regions that requests are signed for; only for the type `aws_sigv4`.',
        }),
      })
      .meta({
        title: 'Connection',
        description:
          'A credential that the flow needs; its value is stored under the same name, by an API call or on a page.',
      }),
    [
      apart(
        ['oauth', 'type'],
        { type: otherThan('oauth_user') },
        'expected `oauth` only together with the type `oauth_user`',
      ),
      apart(
        ['aws', 'type'],
        { type: otherThan('aws_sigv4') },
        'expected `aws` only together with the type `aws_sigv4`',
      ),
      needsWhere('type', ['aws_sigv4'], 'aws', 'expected `aws` together with the type `aws_sigv4`'),
    ],
    'connection',
  ),
);
export type ConnectionDeclaration = z.infer<ReturnType<typeof connectionDeclaration>>;
export type DeclaredConnections = Readonly<Record<string, ConnectionDeclaration>>;

/** The scope of a declaration; defaults to `organization`. */
export const resolveScope = ({
  scope = 'organization',
}: {
  scope?: ConnectionScope | undefined;
}): ConnectionScope => scope;
