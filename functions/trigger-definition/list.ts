import { endpoint } from '#lib/api/endpoint.ts';
import { pageAnswer } from '#lib/api/page-answer.ts';
import { triggerDefinitionRoutes } from '#lib/api/trigger-definition-routes.ts';
import { listTriggers } from '#lib/run/declared-trigger/list.ts';
import { wireTrigger } from '#lib/run/declared-trigger/wire-trigger.ts';

const route = triggerDefinitionRoutes.listTriggers;

export const handler = endpoint(route, async ({ caller, query, headers }) =>
  pageAnswer({ query, headers }, await listTriggers(caller, query), wireTrigger),
);
