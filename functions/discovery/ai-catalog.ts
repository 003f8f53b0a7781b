import { catalogType, describeCatalog } from '#lib/discovery/ai-catalog.ts';
import { digestHeaders, notModified } from '#lib/http/conditional.ts';
import { anyOrigin } from '#lib/http/cors.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { discoveryRoutes } from '#lib/routes/discovery-routes.ts';

export const handler = endpoint(discoveryRoutes.getAiCatalog, async ({ headers, query, at }) => {
  const text = await describeCatalog(query.page, at);
  const kept = { ...digestHeaders(text), 'cache-control': 'public, max-age=300', ...anyOrigin };
  return notModified(headers, kept) ?? { text, contentType: catalogType, headers: kept };
});
