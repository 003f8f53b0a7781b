// The whole route table. Functions import only the file of their resource, so that no function loads the
// schemas of all.

import type { Route } from '#lib/http/route.ts';
import { a2aCardRoutes } from './a2a-card-routes.ts';
import { a2aNotificationRoutes } from './a2a-notification-routes.ts';
import { a2aRoutes } from './a2a-routes.ts';
import { agentConfigRoutes } from './agent-config-routes.ts';
import { apiKeyRoutes } from './api-key-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import { budgetRoutes } from './budget-routes.ts';
import { callbackRoutes } from './callback-routes.ts';
import { connectionRoutes } from './connection-routes.ts';
import { connectorRoutes } from './connector-routes.ts';
import { consoleRoutes } from './console-routes.ts';
import { deadLetterRoutes } from './dead-letter-routes.ts';
import { declaredTriggerRoutes } from './declared-trigger-routes.ts';
import { discoveryRoutes } from './discovery-routes.ts';
import { environmentRoutes } from './environment-routes.ts';
import { fileRoutes } from './file-routes.ts';
import { memberRoutes } from './member-routes.ts';
import { memoryRoutes } from './memory-routes.ts';
import { metaRoutes } from './meta-routes.ts';
import { oauthRoutes } from './oauth-routes.ts';
import { registryPromotionRoutes } from './registry-promotion-routes.ts';
import { registryRoutes } from './registry-routes.ts';
import { runForkRoutes } from './run-fork-routes.ts';
import { runInspectionRoutes } from './run-inspection-routes.ts';
import { runRoutes } from './run-routes.ts';
import { runTestRoutes } from './run-test-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { triggerRoutes } from './trigger-routes.ts';
import { usageRoutes } from './usage-routes.ts';
import { webhookSecretRoutes } from './webhook-secret-routes.ts';
import { workspaceRoutes } from './workspace-routes.ts';

export const routes = {
  ...registryRoutes,
  ...registryPromotionRoutes,
  ...discoveryRoutes,
  ...triggerRoutes,
  ...declaredTriggerRoutes,
  ...environmentRoutes,
  ...deadLetterRoutes,
  ...callbackRoutes,
  ...runRoutes,
  ...runInspectionRoutes,
  ...runForkRoutes,
  ...runTestRoutes,
  ...fileRoutes,
  ...memoryRoutes,
  ...a2aRoutes,
  ...a2aCardRoutes,
  ...a2aNotificationRoutes,
  ...connectorRoutes,
  ...connectionRoutes,
  ...agentConfigRoutes,
  ...sessionRoutes,
  ...memberRoutes,
  ...workspaceRoutes,
  ...oauthRoutes,
  ...apiKeyRoutes,
  ...auditRoutes,
  ...usageRoutes,
  ...budgetRoutes,
  ...webhookSecretRoutes,
  ...metaRoutes,
  ...consoleRoutes,
} as const satisfies Record<string, Route>;

export type OperationId = keyof typeof routes;
/** Pairs of operation id and row, in the order of the table. */
export const routeList: readonly (readonly [string, Route])[] = Object.entries(routes);
