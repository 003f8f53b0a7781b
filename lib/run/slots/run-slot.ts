// How many runs the callers of one organisation may wait for at the same time. A slot that nobody gives back, because its process died, is
// free again once its run must be over.
import { tenantLimits } from '#lib/access/limits/limits.ts';
import { ServiceError } from '#lib/errors.ts';
import type { Log } from '#lib/log.ts';
import { freeSlots, type Slot, takeSlot } from './store.ts';

/** One write, a second and a third where slots of dead processes have to be freed first. */
export async function takeRunSlot(slot: Slot, nowMs: number): Promise<void> {
  const slotsMax = tenantLimits().org_waiting_runs;
  const first = await takeSlot(slot, slotsMax, nowMs);
  if (first === true) return;
  if (first.length > 0) {
    await freeSlots(slot.orgid, first);
    if ((await takeSlot(slot, slotsMax, nowMs)) === true) return;
  }
  const detail = `The organisation may wait for ${slotsMax} runs at the same time; try again when one is over, or send an event to the webhook.`;
  throw new ServiceError('too_many_runs', { detail });
}

/** The result of the run stands whether or not its slot can be given back now; it expires by itself. */
export async function giveBack({ orgid, runId }: Slot, log: Log): Promise<void> {
  try {
    await freeSlots(orgid, [runId]);
  } catch (error) {
    log.warn('the slot of a run was not given back', {
      run_id: runId,
      reason: error instanceof Error ? error.name : 'unknown',
    });
  }
}
