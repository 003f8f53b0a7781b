import { discoveryRoutes } from '#lib/api/discovery-routes.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { pageOf } from '#lib/api/page.ts';
import { search } from '#lib/registry/discovery/search.ts';
import { wireHit } from '#lib/registry/discovery/wire-hit.ts';

export const handler = endpoint(discoveryRoutes.searchRegistry, async ({ caller, query, at }) => {
  const { hits, nextCursor } = await search(caller, query, at);
  return pageOf(query, { items: hits.map(wireHit), nextCursor });
});
