import { streamEndpoint } from '#lib/http/endpoint.ts';
import { lazy } from '#lib/lazy.ts';
import { connectorRoutes } from '#lib/routes/connector-routes.ts';

/** The SDK of MCP is loaded with the first request that has valid credentials. */
const loadConnector = lazy(async () => {
  const [{ createConnector }, { buildServer }] = await Promise.all([
    import('#lib/connector/connector.ts'),
    import('#lib/connector/server.ts'),
  ]);
  return createConnector(buildServer);
});

export const { handler, buffered } = streamEndpoint(connectorRoutes.callConnector, async (request) => {
  const answer = await loadConnector();
  return await answer(request);
});
