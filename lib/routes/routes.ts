// The whole route table. Functions import only their own surface's file, so that no function pays for the schemas of all.

import type { Route } from '#lib/http/route.ts';
import { a2aRoutes } from './a2a-routes.ts';
import { accessRoutes } from './api-key-routes.ts';
import { deliveryRoutes } from './callback-routes.ts';
import { connectionRoutes } from './connection-routes.ts';
import { deadLetterRoutes } from './dead-letter-routes.ts';
import { triggerDefinitionRoutes } from './declared-trigger-routes.ts';
import { discoveryRoutes } from './discovery-routes.ts';
import { environmentRoutes } from './environment-routes.ts';
import { metaRoutes } from './meta-routes.ts';
import { registryHistoryRoutes } from './registry-history-routes.ts';
import { registryRoutes } from './registry-routes.ts';
import { runRoutes } from './run-routes.ts';
import { triggerRoutes } from './trigger-routes.ts';
import { signingSecretRoutes } from './webhook-secret-routes.ts';

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
