// How many runs the callers of one organisation, and one of its keys, may wait for at the same time, and how many they may follow: limits of
// their own, so that no follower is in the way of a caller who waits. A slot that nobody gives back, because its process died, is free again
// once its run or its stream must be over.

import { ServiceError } from '#lib/errors.ts';
import { tenantLimits } from '#lib/limits/tenant-limits.ts';
import type { Log } from '#lib/log.ts';
import { freeSlots, type Held, type Slot, type SlotsOf, type SlotUse, takeSlot } from './permit-items.ts';

/** One write; another where a slot has to be given back because the key has too many, or where slots of dead processes are in the way. */
export async function takeRunSlot(slot: Slot, nowMs: number): Promise<void> {
  const { orgMax, keyMax } = limitsOf(slot.use);
  const { isTaken, held } = await takeOrMakeRoom(slot, orgMax, nowMs);
  if (!isTaken) throw tooMany('The organisation', slot.use, orgMax);
  const ofKey = held.filter(({ keyId, untilMs }) => keyId === slot.keyId && untilMs >= nowMs);
  if (ofKey.length <= keyMax) return;
  await freeSlots(slot, [slot.runId]);
  throw tooMany('This API key', slot.use, keyMax);
}

function limitsOf(use: SlotUse): { readonly orgMax: number; readonly keyMax: number } {
  const { org_waiting_runs, key_waiting_runs, org_followed_runs, key_followed_runs } = tenantLimits();
  return use === 'wait'
    ? { orgMax: org_waiting_runs, keyMax: key_waiting_runs }
    : { orgMax: org_followed_runs, keyMax: key_followed_runs };
}

async function takeOrMakeRoom(slot: Slot, slotsMax: number, nowMs: number) {
  const first = await takeSlot(slot, slotsMax);
  if (first.isTaken) return first;
  const over = first.held.filter(({ untilMs }) => untilMs < nowMs).map(({ runId }) => runId);
  if (over.length === 0) return first;
  await freeSlots(slot, over.slice(0, lettingGoMax));
  return await takeSlot(slot, slotsMax);
}

/** Expressions have bounds; more than these are let go by the next who asks. */
const lettingGoMax = 50;

function tooMany(whose: string, use: SlotUse, slotsMax: number): ServiceError {
  const [what, instead] = words[use];
  const detail = `${whose} may ${what} ${slotsMax} runs at the same time; try again when one is over, or ${instead}.`;
  return new ServiceError('too_many_runs', { detail });
}

const words: Record<SlotUse, readonly [what: string, instead: string]> = {
  wait: ['wait for', 'send an event to the webhook'],
  follow: ['follow', 'ask for the status without waiting'],
};

/** The result of the run stands whether or not its slot can be given back now; it expires by itself. */
export async function giveBack(slot: Pick<Held, 'runId'> & SlotsOf, log: Log): Promise<void> {
  const { runId } = slot;
  try {
    await freeSlots(slot, [runId]);
  } catch (error) {
    log.warn('the slot of a run was not given back', {
      run_id: runId,
      reason: error instanceof Error ? error.name : 'unknown',
    });
  }
}
