import { requireEnv } from '#lib/env.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { metaRoutes } from '#lib/routes/meta-routes.ts';

export const handler = endpoint(metaRoutes.getOpenapi, async () => {
  const { default: document } = await import('../../docs/openapi.json', { with: { type: 'json' } });
  return {
    json: { ...document, servers: [{ url: requireEnv('GATEWAY_URL') }] },
    headers: { 'cache-control': 'public, max-age=300' },
  };
});
