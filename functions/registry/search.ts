import { discoveryRoutes } from '#lib/api/discovery-routes.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { nextLink } from '#lib/api/next-link.ts';
import { search } from '#lib/registry/discovery/search.ts';
import { wireHit } from '#lib/registry/discovery/wire-hit.ts';

export const handler = endpoint(discoveryRoutes.searchRegistry, async ({ caller, query, at }) => {
  const { hits, nextCursor } = await search(caller, query, at);
  const items = hits.map(wireHit);
  if (nextCursor === undefined) return { json: { items } };
  return { json: { items, nextCursor }, headers: { link: nextLink(query, nextCursor) } };
});
