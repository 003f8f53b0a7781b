import { endpoint } from '#lib/api/endpoint.ts';
import { registryHistoryRoutes } from '#lib/api/registry-history-routes.ts';
import { history } from '#lib/registry/history/history.ts';

const route = registryHistoryRoutes.getRegistryRowHistory;

export const handler = endpoint(route, async ({ caller, params, query }) => {
  const json = await history(caller, params.a2aregistryid, query);
  if (json.nextCursor === undefined) return { json };
  const next = new URLSearchParams({
    ...(query.limit !== undefined && { limit: String(query.limit) }),
    cursor: json.nextCursor,
  });
  return { json, headers: { link: `<?${next}>; rel="next"` } };
});
