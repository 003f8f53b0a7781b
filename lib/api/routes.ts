// The whole route table. Functions import only their own surface's file, so that no function pays for the schemas of all.
import { a2aRoutes } from './a2a-routes.ts';
import { accessRoutes } from './access-routes.ts';
import { connectionRoutes } from './connection-routes.ts';
import { discoveryRoutes } from './discovery-routes.ts';
import { metaRoutes } from './meta-routes.ts';
import { registryHistoryRoutes } from './registry-history-routes.ts';
import { registryRoutes } from './registry-routes.ts';
import type { Route } from './route.ts';
import { triggerRoutes } from './trigger-routes.ts';

export const routes = {
  ...registryRoutes,
  ...registryHistoryRoutes,
  ...discoveryRoutes,
  ...triggerRoutes,
  ...a2aRoutes,
  ...connectionRoutes,
  ...accessRoutes,
  ...metaRoutes,
} as const satisfies Record<string, Route>;

export type OperationId = keyof typeof routes;
/** Pairs of operation id and row, in the order of the table. */
export const routeList: readonly (readonly [string, Route])[] = Object.entries(routes);
