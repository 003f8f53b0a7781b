import { endpoint } from '#lib/http/endpoint.ts';
import { declaredTriggerRoutes } from '#lib/routes/declared-trigger-routes.ts';
import { computeNextRuns } from '#lib/trigger/next-runs.ts';
import { ownTrigger } from '#lib/trigger/own-trigger.ts';

const countDefault = 5;

export const handler = endpoint(declaredTriggerRoutes.nextRuns, async ({ caller, params, query, at }) => {
  const trigger = await ownTrigger(caller, params.trigger_id);
  const items = computeNextRuns(trigger, query.count ?? countDefault, at);
  const { last_skipped } = trigger;
  return { json: { items, ...(last_skipped && { last_skipped }) }, workspaceid: trigger.workspaceid };
});
