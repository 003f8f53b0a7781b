import { digestHeaders, notModified } from '#lib/http/conditional.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { metaRoutes } from '#lib/routes/meta-routes.ts';

export const handler = endpoint(metaRoutes.getFlowSchema, async ({ headers }) => {
  const { default: schema } = await import('../../docs/flow-v1.schema.json', { with: { type: 'json' } });
  const text = JSON.stringify(schema);
  const kept = { ...digestHeaders(text), 'cache-control': 'public, max-age=300' };
  return notModified(headers, kept) ?? { text, contentType: 'application/json', headers: kept };
});
