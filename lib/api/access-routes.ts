// What others need to verify what we sign.
import * as z from 'zod';
import { route } from './route.ts';

export const accessRoutes = {
  getJwks: route({
    method: 'GET',
    path: '/.well-known/jwks.json',
    entry: 'access/jwks',
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
