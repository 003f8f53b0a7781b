// The schemas of a connection: as callers send it, as they read it, and as the table stores it. A credential
// can be written but never read back.
import * as z from 'zod';
import {
  connectionHosts,
  connectionLabel,
  connectionScope,
  connectionTypes,
} from '#lib/flow/format/connection.ts';
import { declaredName } from '#lib/flow/format/declaration.ts';
import { credentials } from './credential.ts';

const head = {
  scope: connectionScope.optional().meta({
    description:
      '`organization` (default): for all runs in the workspace. `user`: for the runs of the caller who stores it.',
  }),
  label: connectionLabel().optional().meta({ description: 'For people.', example: 'CRM token' }),
} as const;

const hosts = connectionHosts().meta({
  description: 'The only hosts the credential may be sent to; a flow can narrow them, never widen them.',
  example: ['api.crm.example'],
});
/**
 * Connections stored before the rules for hosts became stricter may hold hosts that are invalid now; those
 * match no URL.
 */
const storedHosts = z.array(z.string());

const bodyWith = <H extends z.ZodType<string[]>>(hosts: H) => {
  const body = <const T extends keyof typeof credentials>(type: T) =>
    z.strictObject({ type: z.literal(type), ...head, hosts, credential: credentials[type] });
  return z.discriminatedUnion('type', [
    body('http_bearer'),
    body('http_header'),
    body('http_query'),
    body('http_basic'),
    body('oauth_client_credentials'),
    body('oauth_user'),
    body('aws_sigv4'),
  ]);
};

export const connectionBody = bodyWith(hosts).meta({ id: 'PutConnection' });
export const connectionValue = bodyWith(storedHosts);
export type ConnectionBody = z.output<typeof connectionBody>;

/**
 * What is encrypted; scope and label may be missing. The hosts are part of it, so that write access to the
 * table is not enough to send a credential elsewhere.
 */
export type ConnectionValue = ConnectionBody;

export const connection = z
  .strictObject({
    name: declaredName(),
    type: z.enum(connectionTypes),
    scope: connectionScope,
    label: connectionLabel().optional(),
    hosts: storedHosts,
    updated_at: z.iso.datetime(),
    updated_by: z.string().meta({ description: 'The id of the principal.' }),
    refused_at: z.iso.datetime().optional().meta({
      description:
        'When the token endpoint refused its refresh token. It counts as missing until it is stored again.',
    }),
    external_id: z.string().optional().meta({
      description:
        'Of the type `aws_sigv4`: the external id that the trust policy of the role must require. It is the same whenever a connection of that name and scope is stored.',
    }),
  })
  .meta({ id: 'Connection' });
export type Connection = z.infer<typeof connection>;

/** The external id is computed. */
export const storedConnection = connection
  .omit({ external_id: true })
  .strip()
  .extend({
    /** A random id that changes with each value. */
    version: z.string(),
    sealed: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
  });
export type StoredConnection = z.infer<typeof storedConnection>;

/**
 * Connections of scope `organization` belong to the workspace, those of scope `user` to one caller within it.
 */
export interface ConnectionOwner {
  readonly orgid: string;
  readonly workspaceid: string;
  readonly user: string;
}
