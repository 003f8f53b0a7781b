// API keys.
import * as z from 'zod';
import { apiKey, createdKey, createKeyBody } from '#lib/api-key/api-key.ts';
import { pageCursor, pageLimit, pageSchema } from '#lib/http/parameters.ts';
import { management, route } from '#lib/http/route.ts';
import { keyId } from '#lib/ids.ts';

const shared = { ...management, tag: 'Access' } as const;

export const apiKeyRoutes = {
  createApiKey: route({
    ...shared,
    method: 'POST',
    path: '/api/v1/api-keys',
    entry: 'api-key/create',
    auditName: 'access/create-key',
    summary: 'Create an API key',
    description:
      'The key belongs to the organisation of the caller. It has at most the permissions of the ' +
      'caller and expires no later than the key that creates it, unless that has `apikeys:extend`. ' +
      'Only this response contains `token`, the key itself.',
    permission: 'apikeys:create',
    body: createKeyBody,
    bodyKind: 'management',
    response: { status: 201, description: 'The key, with its token.', schema: createdKey },
    errors: [],
    uses: ['signingKey.sign', 'keys.create'],
  }),

  listApiKeys: route({
    ...shared,
    method: 'GET',
    path: '/api/v1/api-keys',
    entry: 'api-key/list',
    auditName: 'access/list-keys',
    summary: 'List API keys',
    description:
      'Newest first, including revoked keys until they expire. Lists the keys of the organisation ' +
      'that are valid only for workspaces of the caller. Keys that were issued offline are not ' +
      'listed.',
    permission: 'apikeys:read',
    query: z.strictObject({ limit: pageLimit('Keys'), cursor: pageCursor }),
    response: {
      status: 200,
      description: 'One page of keys, without their tokens.',
      schema: pageSchema(apiKey, 'ApiKeyPage'),
    },
    errors: [],
    uses: [],
  }),

  revokeApiKey: route({
    ...shared,
    method: 'DELETE',
    path: '/api/v1/api-keys/{keyid}',
    otherMethods: 'byFunction',
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
} as const;
