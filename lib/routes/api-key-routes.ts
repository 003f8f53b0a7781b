// API keys, the audit trail, and what others need to verify what we sign.
import * as z from 'zod';
import { apiKey, createdKey, createKeyBody } from '#lib/api-key/api-key.ts';
import { auditRecord } from '#lib/audit/audit-record.ts';
import { auditDaysMax } from '#lib/audit/read.ts';
import { pageLimit } from '#lib/http/page-limit.ts';
import { route } from '#lib/http/route.ts';
import { keyId, workspaceid } from '#lib/ids.ts';

const management = {
  tag: 'Access',
  credentials: ['apiKey', 'bearer'],
  timeout: 'quick',
  transfer: 'buffered',
} as const;
const page = {
  limit: pageLimit('Items'),
  cursor: z.string().max(1024).optional(),
} as const;
const time = z.iso.datetime('must be a time such as 2027-01-31T00:00:00Z');

export const accessRoutes = {
  createApiKey: route({
    ...management,
    method: 'POST',
    path: '/api/v1/api-keys',
    entry: 'api-key/create',
    auditName: 'access/create-key',
    summary: 'Create an API key',
    description:
      'For the organisation of the caller. It may do what the caller may, or less, and ends no later than the key that creates it, unless that has `apikeys:extend`. The answer shows `token`, the key itself, this once.',
    permission: 'apikeys:create',
    body: createKeyBody,
    bodyKind: 'management',
    response: { status: 201, description: 'The key, with its token.', schema: createdKey },
    errors: [],
    uses: ['signingKey.sign', 'keys.create'],
  }),

  listApiKeys: route({
    ...management,
    method: 'GET',
    path: '/api/v1/api-keys',
    entry: 'api-key/list',
    auditName: 'access/list-keys',
    summary: 'List API keys',
    description:
      "Newest first, also revoked ones until they expire. Shows the organisation's keys that are for no other workspaces than the caller's. Keys that were issued offline are not listed.",
    permission: 'apikeys:read',
    query: z.strictObject(page),
    response: {
      status: 200,
      description: 'One page of keys, without their tokens.',
      schema: z
        .strictObject({ items: z.array(apiKey), nextCursor: z.string().optional() })
        .meta({ id: 'ApiKeyPage' }),
    },
    errors: [],
    uses: [],
  }),

  revokeApiKey: route({
    ...management,
    method: 'DELETE',
    path: '/api/v1/api-keys/{keyid}',
    entry: 'api-key/revoke',
    auditName: 'access/revoke-key',
    summary: 'Revoke an API key',
    description: 'The key is refused everywhere within a minute. Revoking it again changes nothing.',
    permission: 'apikeys:delete',
    params: z.strictObject({ keyid: keyId }),
    response: { status: 204, description: 'Revoked.' },
    errors: ['api_key_not_found'],
    uses: ['keys.revoke'],
  }),

  listAudit: route({
    ...management,
    method: 'GET',
    path: '/api/v1/audit',
    entry: 'audit/list',
    auditName: 'access/list-audit',
    summary: 'Read the audit trail',
    description: [
      'Who did what and who was denied, newest first: of a workspace, or without `workspaceid` of what concerns the organisation as a whole,',
      'which takes credentials for all workspaces. A request appears within seconds after its answer.',
    ].join(' '),
    permission: 'audit:read',
    query: z.strictObject({
      workspaceid: workspaceid.optional(),
      from: time
        .optional()
        .meta({ description: `${auditDaysMax} days before \`to\` at most; 7 unless told.` }),
      to: time.optional().meta({ description: 'Now unless told.' }),
      ...page,
    }),
    response: {
      status: 200,
      description: 'One page of records.',
      schema: z
        .strictObject({ items: z.array(auditRecord), nextCursor: z.string().optional() })
        .meta({ id: 'AuditPage' }),
    },
    errors: [],
    uses: ['runs.read'],
  }),

  getJwks: route({
    method: 'GET',
    path: '/.well-known/jwks.json',
    entry: 'meta/jwks',
    tag: 'Access',
    summary: 'Public keys of API keys and Agent Card signatures',
    credentials: [],
    response: {
      status: 200,
      description: 'A JSON Web Key Set (RFC 7517).',
      schema: z
        .strictObject({ keys: z.array(z.looseObject({ kty: z.string(), kid: z.string() })) })
        .meta({ id: 'Jwks' }),
    },
    errors: [],
    uses: ['signingKey.publicKey'],
    timeout: 'quick',
    transfer: 'buffered',
  }),
} as const;
