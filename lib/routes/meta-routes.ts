// The service itself: its description, its health, and the keys that verify what it signs.
import * as z from 'zod';
import { protectedResource } from '#lib/access/protected-resource.ts';
import { route } from '#lib/http/route.ts';

const open = {
  method: 'GET',
  tag: 'Meta',
  credentials: [],
  errors: [],
  uses: [],
  timeout: 'quick',
  transfer: 'buffered',
} as const;

export const metaRoutes = {
  getOpenapi: route({
    ...open,
    path: '/openapi.json',
    otherMethods: 'byFunction',
    entry: 'meta/openapi',
    summary: 'This API as OpenAPI 3.1',
    response: { status: 200, description: 'The document.', schema: z.looseObject({ openapi: z.string() }) },
  }),
  getFlowSchema: route({
    ...open,
    path: '/schemas/flow-v1.json',
    otherMethods: 'byFunction',
    entry: 'meta/flow-schema',
    summary: 'The flow format as JSON Schema, for editors',
    requestHeaders: ['If-None-Match'],
    response: {
      status: 200,
      description: 'JSON Schema 2020-12.',
      schema: z.looseObject({ $schema: z.string(), $id: z.string() }),
    },
  }),
  getHealth: route({
    ...open,
    path: '/health',
    entry: 'meta/health',
    summary: 'Whether the service answers',
    response: {
      status: 200,
      description: 'The service answers.',
      schema: z.strictObject({ status: z.literal('ok') }).meta({ id: 'Health' }),
    },
  }),
  getJwks: route({
    ...open,
    path: '/.well-known/jwks.json',
    entry: 'meta/jwks',
    tag: 'Access',
    summary: 'Public keys of API keys and Agent Card signatures',
    response: {
      status: 200,
      description: 'A JSON Web Key Set (RFC 7517).',
      schema: z
        .strictObject({ keys: z.array(z.looseObject({ kty: z.string(), kid: z.string() })) })
        .meta({ id: 'Jwks' }),
    },
    uses: ['signingKey.publicKey'],
  }),

  getProtectedResource: route({
    ...open,
    path: '/.well-known/oauth-protected-resource',
    also: [{ name: 'connector', method: 'GET', path: '/.well-known/oauth-protected-resource/api/v1/ai/mcp' }],
    entry: 'meta/protected-resource',
    tag: 'Access',
    summary: 'Where access tokens for the API are issued',
    description:
      'OAuth 2.0 Protected Resource Metadata (RFC 9728). The same path with `/api/v1/ai/mcp` after it describes the connector. The challenge of a 401 names the address of the one that applies.',
    crossOrigin: 'all',
    response: { status: 200, description: 'The metadata.', schema: protectedResource },
  }),
} as const;
