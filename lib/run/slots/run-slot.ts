// How many runs the callers of one organisation, and one of its keys, may wait for at the same time. A slot that nobody gives back, because
// its process died, is free again once its run must be over.
import { tenantLimits } from '#lib/access/limits/limits.ts';
import { ServiceError } from '#lib/errors.ts';
import type { Log } from '#lib/log.ts';
import { freeSlots, type Held, type Slot, takeSlot } from './store.ts';

/** One write; another where a slot has to be given back because the key has too many, or where slots of dead processes are in the way. */
export async function takeRunSlot(slot: Slot, nowMs: number): Promise<void> {
  const { org_waiting_runs, key_waiting_runs } = tenantLimits();
  const { isTaken, held } = await takeOrMakeRoom(slot, org_waiting_runs, nowMs);
  if (!isTaken) throw tooMany('The organisation', org_waiting_runs);
  const ofKey = held.filter(({ keyId, untilMs }) => keyId === slot.keyId && untilMs >= nowMs);
  if (ofKey.length <= key_waiting_runs) return;
  await freeSlots(slot.orgid, [slot.runId]);
  throw tooMany('This API key', key_waiting_runs);
}

async function takeOrMakeRoom(slot: Slot, slotsMax: number, nowMs: number) {
  const first = await takeSlot(slot, slotsMax);
  if (first.isTaken) return first;
  const over = first.held.filter(({ untilMs }) => untilMs < nowMs).map(({ runId }) => runId);
  if (over.length === 0) return first;
  await freeSlots(slot.orgid, over.slice(0, lettingGoMax));
  return await takeSlot(slot, slotsMax);
}

/** Expressions have bounds; more than these are let go by the next who asks. */
const lettingGoMax = 50;

function tooMany(whose: string, slotsMax: number): ServiceError {
  const detail = `${whose} may wait for ${slotsMax} runs at the same time; try again when one is over, or send an event to the webhook.`;
  return new ServiceError('too_many_runs', { detail });
}

/** The result of the run stands whether or not its slot can be given back now; it expires by itself. */
export async function giveBack(
  { orgid, runId }: Pick<Held, 'runId'> & Pick<Slot, 'orgid'>,
  log: Log,
): Promise<void> {
  try {
    await freeSlots(orgid, [runId]);
  } catch (error) {
    log.warn('the slot of a run was not given back', {
      run_id: runId,
      reason: error instanceof Error ? error.name : 'unknown',
    });
  }
}
