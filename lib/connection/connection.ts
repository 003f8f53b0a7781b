// A stored connection: what a caller sends, what a caller sees of it, and what the table holds. The credential only ever goes in.
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
  label: connectionLabel.optional().meta({ description: 'For people.', example: 'CRM token' }),
} as const;

const hosts = connectionHosts.meta({
  description: 'The only hosts the credential may be sent to; a flow can narrow them, never widen them.',
  example: ['api.crm.example'],
});
/** Stored before the rules for hosts became stricter, some are not valid any more; those match no URL. */
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
  ]);
};

export const connectionBody = bodyWith(hosts).meta({ id: 'PutConnection' });
export const sealedConnection = bodyWith(storedHosts);
export type ConnectionBody = z.output<typeof connectionBody>;

/** What is sealed, of which scope and label may be missing. The hosts are in it, so that nobody who can write the table can send a credential elsewhere. */
export type Sealed = ConnectionBody;

export const connection = z
  .strictObject({
    name: declaredName,
    type: z.enum(connectionTypes),
    scope: connectionScope,
    label: connectionLabel.optional(),
    hosts: storedHosts,
    updated_at: z.iso.datetime(),
    updated_by: z.string().meta({ description: 'The id of the API key.' }),
    refused_at: z.iso.datetime().optional().meta({
      description:
        'When its token endpoint said that its refresh token is good no more. It counts as missing until it is stored again.',
    }),
  })
  .meta({ id: 'Connection' });
export type Connection = z.infer<typeof connection>;

export const storedConnection = connection.strip().extend({
  /** Names this very value: another one has another. */
  version: z.string(),
  sealed: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
});
export type StoredConnection = z.infer<typeof storedConnection>;

/** Whose connections: of a workspace, and those of one caller in it. */
export interface Place {
  readonly orgid: string;
  readonly workspaceid: string;
  readonly user: string;
}
