import { endpoint } from '#lib/api/endpoint.ts';
import { metaRoutes } from '#lib/api/meta-routes.ts';
import { requireEnv } from '#lib/env.ts';

export const handler = endpoint(metaRoutes.getOpenapi, async () => {
  const { default: document } = await import('../../docs/openapi.json', { with: { type: 'json' } });
  return {
    json: { ...document, servers: [{ url: requireEnv('GATEWAY_URL') }] },
    headers: { 'cache-control': 'public, max-age=300' },
  };
});
