import { endpoint } from '#lib/api/endpoint.ts';
import { taggedPage } from '#lib/api/page.ts';
import { triggerDefinitionRoutes } from '#lib/api/trigger-definition-routes.ts';
import { listTriggers } from '#lib/run/declared-trigger/list.ts';
import { wireTrigger } from '#lib/run/declared-trigger/wire-trigger.ts';

const route = triggerDefinitionRoutes.listTriggers;

export const handler = endpoint(route, async ({ caller, query, headers }) => {
  const { items, nextCursor } = await listTriggers(caller, query);
  return taggedPage({ query, headers }, { items: items.map(wireTrigger), nextCursor });
});
