// The delivery of the callback of a run in the caller's workspace.
import type { Caller } from '#lib/access/caller.ts';
import { ownRun } from '#lib/run/own-run.ts';
import type { Deliveries } from './delivery.ts';
import { readDelivery } from './delivery-items.ts';

export async function listDeliveries(
  caller: Caller,
  workspaceid: string,
  id: string,
  now: number,
): Promise<Deliveries> {
  const { run } = await ownRun(caller, workspaceid, id, now);
  if (run.callback_url === undefined) return { workflow_id: id, state: 'none', attempts: [] };
  const { state, attempts, next_attempt_at } = (await readDelivery(id)) ?? { state: 'waiting', attempts: [] };
  return { workflow_id: id, state, attempts, ...(next_attempt_at !== undefined && { next_attempt_at }) };
}
