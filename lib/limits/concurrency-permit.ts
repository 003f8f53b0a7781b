// Limits how many runs the callers of an organisation, and each of its keys, wait for at the same time, and
// how many they follow. The two limits are separate, so that followers do not use up the permits of callers
// who wait. A permit that is not released, because its process died, expires when its run or stream must have
// ended.
import { ServiceError } from '#lib/errors.ts';
import { tenantLimits } from '#lib/limits/tenant-limits.ts';
import type { Log } from '#lib/log.ts';
import {
  freePermits,
  type HeldPermit,
  type Permit,
  type PermitScope,
  type PermitUse,
  takePermit,
} from './permit-items.ts';

/** Called with the runs of expired permits before these are removed. */
export type BeforeRemoval = (runIds: readonly string[]) => Promise<void>;

/** One write; another if the key has too many permits, or if expired permits must be removed first. */
export async function acquirePermit(
  permit: Permit,
  nowMs: number,
  beforeRemoval?: BeforeRemoval,
): Promise<void> {
  const { orgMax, keyMax } = readLimits(permit.use);
  const { isTaken, held } = await takeOrMakeRoom(permit, orgMax, { nowMs, beforeRemoval });
  if (!isTaken) throw tooMany('The organisation', permit.use, orgMax);
  const ofKey = held.filter(({ keyId, untilMs }) => keyId === permit.keyId && untilMs >= nowMs);
  if (ofKey.length <= keyMax) return;
  await freePermits(permit, [permit.runId]);
  throw tooMany('This API key', permit.use, keyMax);
}

function readLimits(use: PermitUse): { readonly orgMax: number; readonly keyMax: number } {
  const { org_waiting_runs, key_waiting_runs, org_followed_runs, key_followed_runs } = tenantLimits();
  return use === 'wait'
    ? { orgMax: org_waiting_runs, keyMax: key_waiting_runs }
    : { orgMax: org_followed_runs, keyMax: key_followed_runs };
}

interface Removal {
  readonly nowMs: number;
  readonly beforeRemoval: BeforeRemoval | undefined;
}

async function takeOrMakeRoom(permit: Permit, permitsMax: number, { nowMs, beforeRemoval }: Removal) {
  const first = await takePermit(permit, permitsMax);
  if (first.isTaken) return first;
  const expired = first.held.filter(({ untilMs }) => untilMs < nowMs).map(({ runId }) => runId);
  if (expired.length === 0) return first;
  const removed = expired.slice(0, removedPermitsMax);
  await beforeRemoval?.(removed);
  await freePermits(permit, removed);
  return await takePermit(permit, permitsMax);
}

/** The size of an expression is limited; the next caller removes the others. */
const removedPermitsMax = 50;

function tooMany(whose: string, use: PermitUse, permitsMax: number): ServiceError {
  const [what, instead] = words[use];
  const detail = `${whose} may ${what} ${permitsMax} runs at the same time; try again when one is over, or ${instead}.`;
  return new ServiceError('too_many_runs', { detail });
}

const words: Record<PermitUse, readonly [what: string, instead: string]> = {
  wait: ['wait for', 'send an event to the webhook'],
  follow: ['follow', 'ask for the status without waiting'],
};

/** A failure does not affect the result of the run; the permit expires by itself. */
export async function releasePermit(
  permit: Pick<HeldPermit, 'runId'> & PermitScope,
  log: Log,
): Promise<void> {
  const { runId } = permit;
  try {
    await freePermits(permit, [runId]);
  } catch (error) {
    log.warn('the permit of a run was not released', {
      run_id: runId,
      reason: error instanceof Error ? error.name : 'unknown',
    });
  }
}
