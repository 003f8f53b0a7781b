import { search } from '#lib/discovery/search.ts';
import { toWireHit } from '#lib/discovery/wire-hit.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { toPage } from '#lib/http/page.ts';
import { discoveryRoutes } from '#lib/routes/discovery-routes.ts';

export const handler = endpoint(discoveryRoutes.searchRegistry, async ({ caller, query }) => {
  const { hits, nextCursor } = await search(caller, query);
  return toPage(query, { items: hits.map(toWireHit), nextCursor });
});
