// Limits how many runs the callers of an organisation, and each of its keys, wait for at the same time, and
// how many they follow, and how many its webhooks wait for. The permits are counted separately, so that followers do
// not use up those of callers who wait, nor webhooks those of either. A permit that was not released, because its process died or its write was lost, is removed once
// its time is over and a caller would otherwise be refused.
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

/** Of the runs of permits whose time is over, returns those that need none any more. */
export type FindUnused = (runIds: readonly string[]) => Promise<readonly string[]>;

/**
 * One write; others only if the organisation or the key has too many permits. By default all whose time is over
 * are unused.
 */
export async function acquirePermit(
  permit: Permit,
  nowMs: number,
  findUnused: FindUnused = async (runIds) => runIds,
): Promise<void> {
  const startedAt = Date.now();
  const refusal = await tryAcquire(permit);
  if (!refusal) return;
  const unused = await listUnused(refusal, nowMs, findUnused);
  if (unused.length === 0) throw tooMany(refusal, permit.use);
  await freePermits(permit, unused);
  const untilMs = permit.untilMs + (Date.now() - startedAt);
  const again = await tryAcquire({ ...permit, untilMs });
  if (again) throw tooMany(again, permit.use);
}

interface Refusal {
  readonly whose: string;
  readonly permitsMax: number;
  /** The permits that count for the limit. */
  readonly held: readonly HeldPermit[];
}

/** Undefined when the permit is taken. */
async function tryAcquire(permit: Permit): Promise<Refusal | undefined> {
  const { orgMax, keyMax } = readLimits(permit.use);
  const { isTaken, held } = await takePermit(permit, orgMax);
  if (!isTaken) return { whose: 'The organisation', permitsMax: orgMax, held };
  const ofKey = held.filter(({ keyId }) => keyId === permit.keyId);
  if (ofKey.length <= keyMax) return undefined;
  await freePermits(permit, [permit.runId]);
  const others = ofKey.filter(({ runId }) => runId !== permit.runId);
  return { whose: 'This API key', permitsMax: keyMax, held: others };
}

function readLimits(use: PermitUse): { readonly orgMax: number; readonly keyMax: number } {
  const { org_waiting_runs, key_waiting_runs, org_followed_runs, key_followed_runs } = tenantLimits();
  return use === 'wait'
    ? { orgMax: org_waiting_runs, keyMax: key_waiting_runs }
    : { orgMax: org_followed_runs, keyMax: key_followed_runs };
}

async function listUnused({ held }: Refusal, nowMs: number, findUnused: FindUnused) {
  const overdue = held.filter(({ untilMs }) => untilMs < nowMs).map(({ runId }) => runId);
  const unused = overdue.length === 0 ? [] : await findUnused(overdue);
  return unused.slice(0, removedPermitsMax);
}

/** The size of an expression is limited; the next caller removes the others. */
const removedPermitsMax = 50;

function tooMany({ whose, permitsMax }: Refusal, use: PermitUse): ServiceError {
  const [what, instead] = words[use];
  const detail = `${whose} may ${what} ${permitsMax} runs at the same time; try again when one is over, or ${instead}.`;
  return new ServiceError('too_many_runs', { detail });
}

const words: Record<PermitUse, readonly [what: string, instead: string]> = {
  wait: ['wait for', 'send an event to the webhook'],
  follow: ['follow', 'ask for the status without waiting'],
  answer: ['answer with the results of', 'ask for the status'],
};

/** A failure does not affect the result of the run; the next caller who needs the permit finds it unused. */
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
