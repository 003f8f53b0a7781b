import { endpoint } from '#lib/http/endpoint.ts';
import { toTaggedPage } from '#lib/http/page.ts';
import { declaredTriggerRoutes } from '#lib/routes/declared-trigger-routes.ts';
import { listTriggers } from '#lib/trigger/list.ts';
import { toWireTrigger } from '#lib/trigger/wire-trigger.ts';

const route = declaredTriggerRoutes.listTriggers;

export const handler = endpoint(route, async ({ caller, query, headers }) => {
  const { items, nextCursor } = await listTriggers(caller, query);
  return toTaggedPage(
    { query, headers },
    { items: items.map((each) => toWireTrigger(each, caller)), nextCursor },
  );
});
