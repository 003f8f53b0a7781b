// The whole route table. Functions import only their own surface's file, so that no function pays for the schemas of all.
import { a2aRoutes } from './a2a-routes.ts';
import { accessRoutes } from './access-routes.ts';
import { connectionRoutes } from './connection-routes.ts';
import { deadLetterRoutes } from './dead-letter-routes.ts';
import { deliveryRoutes } from './delivery-routes.ts';
import { discoveryRoutes } from './discovery-routes.ts';
import { environmentRoutes } from './environment-routes.ts';
import { metaRoutes } from './meta-routes.ts';
import { registryHistoryRoutes } from './registry-history-routes.ts';
import { registryRoutes } from './registry-routes.ts';
import type { Route } from './route.ts';
import { runRoutes } from './run-routes.ts';
import { signingSecretRoutes } from './signing-secret-routes.ts';
import { triggerDefinitionRoutes } from './trigger-definition-routes.ts';
import { triggerRoutes } from './trigger-routes.ts';

export const routes = {
  ...registryRoutes,
  ...registryHistoryRoutes,
  ...discoveryRoutes,
  ...triggerRoutes,
  ...triggerDefinitionRoutes,
  ...environmentRoutes,
  ...deadLetterRoutes,
  ...deliveryRoutes,
  ...runRoutes,
  ...a2aRoutes,
  ...connectionRoutes,
  ...accessRoutes,
  ...signingSecretRoutes,
  ...metaRoutes,
} as const satisfies Record<string, Route>;

export type OperationId = keyof typeof routes;
/** Pairs of operation id and row, in the order of the table. */
export const routeList: readonly (readonly [string, Route])[] = Object.entries(routes);
