import { ifMatch } from '#lib/http/conditional.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { declaredTriggerRoutes } from '#lib/routes/declared-trigger-routes.ts';
import { deleteOwn } from '#lib/trigger/delete.ts';

const route = declaredTriggerRoutes.deleteTrigger;

export const handler = endpoint(route, async ({ caller, params, headers }) => {
  const { workspaceid } = await deleteOwn(caller, params.trigger_id, ifMatch(headers));
  return { empty: true, workspaceid };
});
