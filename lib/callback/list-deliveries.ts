// The deliveries of a run in the caller's workspace: of its callback, and of its push notifications.
import type { Caller } from '#lib/access/caller.ts';
import type { StoredPushConfig } from '#lib/delivery/push-config.ts';
import { readConfigs } from '#lib/delivery/push-config-items.ts';
import { ownRun } from '#lib/run/own-run.ts';
import type { StoredRun } from '#lib/run/stored-run.ts';
import type { Deliveries, PushDelivery } from './delivery.ts';
import { readDelivery } from './delivery-items.ts';

export async function listDeliveries(
  caller: Caller,
  workspaceid: string,
  id: string,
  now: number,
): Promise<Deliveries> {
  const { run } = await ownRun(caller, workspaceid, id, now);
  const [callback, push] = await Promise.all([readCallback(run), readPush(run)]);
  return { workflow_id: id, ...callback, ...push };
}

async function readCallback(
  run: StoredRun,
): Promise<Pick<Deliveries, 'state' | 'attempts' | 'next_attempt_at'>> {
  if (run.callback_url === undefined) return { state: 'none', attempts: [] };
  return (await readDelivery(run.run_id)) ?? { state: 'waiting', attempts: [] };
}

async function readPush(run: StoredRun): Promise<Pick<Deliveries, 'push_notifications'>> {
  if (run.push_configs === undefined) return {};
  return { push_notifications: (await readConfigs(run.run_id)).map(toPushDelivery) };
}

function toPushDelivery(config: StoredPushConfig): PushDelivery {
  const { config_id: id, state, delivered, last_delivered_at, attempts, next_attempt_at } = config;
  return { id, state, delivered, last_delivered_at, attempts, next_attempt_at };
}
