// The declaration of a connection in a flow: the type of credential, whose it is, and for which hosts. A flow
// never contains the value.
import * as z from 'zod';
import { hostEntry } from './declaration.ts';
import { limits } from './limits.ts';
import { named } from './notes.ts';

export const connectionTypes = [
  'http_bearer',
  'http_header',
  'http_query',
  'http_basic',
  'oauth_client_credentials',
  'oauth_user',
] as const;

/**
 * `organization`: one value for all runs in the workspace. `user`: one value for each caller that starts
 * runs.
 */
export const connectionScope = z.enum(['organization', 'user']);
export type ConnectionScope = z.infer<typeof connectionScope>;

export const connectionLabel = z.string().min(1).max(200);
/** The hosts of one connection. */
export const connectionHosts = z.array(hostEntry).min(1).max(limits.connectionHostsMax);

export const connectionDeclaration = named(
  'connection',
  z
    .strictObject({
      type: z.enum(connectionTypes).meta({
        description:
          'What the request carries: a bearer token, a header, a parameter, a password, or an OAuth token.',
      }),
      scope: connectionScope.optional().meta({
        description:
          'Whose credential it is: that of the workspace, or that of the caller who started the run.',
        default: 'organization',
      }),
      label: connectionLabel
        .optional()
        .meta({ description: 'Label of the connection where people enter its value.' }),
      hosts: connectionHosts.meta({ description: 'Hosts that the credential may be sent to.' }),
    })
    .meta({
      title: 'Connection',
      description:
        'A credential that the flow needs; its value is stored by an API call under the same name.',
    }),
);
export type ConnectionDeclaration = z.infer<typeof connectionDeclaration>;
export type DeclaredConnections = Readonly<Record<string, ConnectionDeclaration>>;

/** The scope of a declaration; defaults to `organization`. */
export const resolveScope = ({
  scope = 'organization',
}: {
  scope?: ConnectionScope | undefined;
}): ConnectionScope => scope;
