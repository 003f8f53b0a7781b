// About the service itself.
import * as z from 'zod';
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
    entry: 'meta/openapi',
    summary: 'This API as OpenAPI 3.1',
    response: { status: 200, description: 'The document.', schema: z.looseObject({ openapi: z.string() }) },
  }),
  getFlowSchema: route({
    ...open,
    path: '/schemas/flow-v1.json',
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
      description: 'It does.',
      schema: z.strictObject({ status: z.literal('ok') }).meta({ id: 'Health' }),
    },
  }),
} as const;
