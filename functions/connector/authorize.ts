import { requireHeaderScopes } from '#lib/connector/scopes.ts';
import { authorizer } from '#lib/http/authorizer.ts';
import { connectorRoutes } from '#lib/routes/connector-routes.ts';

export const handler = authorizer(connectorRoutes.callConnector, requireHeaderScopes);
