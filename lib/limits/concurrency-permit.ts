// Limits how many runs the callers of an organisation, and each of its keys, wait for at the same time, and
// how many they follow, and how many its webhooks wait for. The permits are counted separately, so that followers do
// not use up those of callers who wait, nor webhooks those of either. The permit of a run that has ended stays until this
// process takes the next one of its organisation, or until a caller would otherwise be refused; so does one that was not
// released, because its process died or its write was lost.
import { boundedMap } from '#lib/bounded-map.ts';
import { ServiceError } from '#lib/errors.ts';
import { tenantLimits } from '#lib/limits/tenant-limits.ts';
import type { Log } from '#lib/log.ts';
import {
  freePermits,
  type HeldPermit,
  type Permit,
  type PermitAttempt,
  type PermitScope,
  type PermitUse,
  takePermit,
} from './permit-items.ts';

/** Of permits, finds the runs of those that are in use no more. */
export type FindUnused = (permits: readonly HeldPermit[], nowMs: number) => Promise<readonly string[]>;

/** By default, a permit is unused once its time is over. */
const findOverdue: FindUnused = async (permits, nowMs) =>
  permits.filter(({ untilMs }) => untilMs < nowMs).map(({ runId }) => runId);

/**
 * One write; others only if the organisation or the key has too many permits. Returns the permits that are held, this
 * one among them.
 */
export async function acquirePermit(
  permit: Permit,
  nowMs: number,
  findUnused = findOverdue,
): Promise<readonly HeldPermit[]> {
  const startedAt = Date.now();
  const first = await tryAcquire(permit);
  if (first.isTaken) return first.held;
  const unused = (await findUnused(first.held, nowMs)).slice(0, removedPermitsMax);
  if (unused.length === 0) throw tooMany(first, permit.use);
  await freePermits(permit, unused);
  const untilMs = permit.untilMs + (Date.now() - startedAt);
  const again = await tryAcquire({ ...permit, untilMs });
  if (again.isTaken) return again.held;
  throw tooMany(again, permit.use);
}

interface Refusal {
  readonly isTaken: false;
  readonly whose: string;
  readonly permitsMax: number;
  /** The permits that count for the limit. */
  readonly held: readonly HeldPermit[];
}
type Acquired = { readonly isTaken: true; readonly held: readonly HeldPermit[] } | Refusal;

async function tryAcquire(permit: Permit): Promise<Acquired> {
  const { orgMax, keyMax } = readLimits(permit.use);
  const { isTaken, held } = await takeInstead(permit, orgMax);
  if (!isTaken) return { isTaken, whose: 'The organisation', permitsMax: orgMax, held };
  const ofKey = listOfKey(held, permit);
  if (ofKey.length <= keyMax) return { isTaken, held };
  await freePermits(permit, [permit.runId]);
  const others = ofKey.filter(({ runId }) => runId !== permit.runId);
  return { isTaken: false, whose: 'This API key', permitsMax: keyMax, held: others };
}

const listOfKey = (held: readonly HeldPermit[], { keyId }: HeldPermit) =>
  held.filter((each) => each.keyId === keyId);

/** The runs that this process has ended, by organisation, whose permits its next permit replaces. */
const endedRuns = boundedMap<string, readonly string[]>({ entriesMax: 1_000 });

async function takeInstead(permit: Permit, orgMax: number): Promise<PermitAttempt> {
  if (permit.use !== 'wait') return await takePermit(permit, orgMax);
  const replaced = (endedRuns.get(permit.orgid) ?? []).filter((id) => id !== permit.runId);
  endedRuns.delete(permit.orgid);
  let left = replaced;
  try {
    const attempt = await takePermit(permit, orgMax, replaced);
    left = replaced.filter((id) => attempt.held.some(({ runId }) => runId === id));
    return attempt;
  } finally {
    replaceLater(permit.orgid, left);
  }
}

function replaceLater(orgid: string, runIds: readonly string[]): void {
  if (runIds.length > 0) endedRuns.set(orgid, [...(endedRuns.get(orgid) ?? []), ...runIds]);
}

function readLimits(use: PermitUse): { readonly orgMax: number; readonly keyMax: number } {
  const { org_waiting_runs, key_waiting_runs, org_followed_runs, key_followed_runs } = tenantLimits();
  return use === 'wait'
    ? { orgMax: org_waiting_runs, keyMax: key_waiting_runs }
    : { orgMax: org_followed_runs, keyMax: key_followed_runs };
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

/** With so many permits of a run id and a key, their item is smaller than a kilobyte, and a change of it is one write unit. */
const keptPermitsMax = 8;
/** A permit that is over its time for so long was left by a process that has ended, or has nothing to do. */
const leftBehindMs = 180_000;

/**
 * For a run that has ended. Its permit stays while there are few, and costs no write then. `held` are the permits
 * at the time at which it was taken.
 */
export async function releaseEnded(
  permit: Permit,
  held: readonly HeldPermit[],
  findUnused: FindUnused,
  log: Log,
): Promise<void> {
  const { orgMax, keyMax } = readLimits(permit.use);
  const isKept =
    held.length <= Math.min(keptPermitsMax, orgMax / 2) && listOfKey(held, permit).length <= keyMax / 2;
  if (isKept) return replaceLater(permit.orgid, [permit.runId]);
  const now = Date.now();
  const leftBehind = held.filter(({ untilMs }) => untilMs + leftBehindMs < now);
  await release(permit, log, async () => {
    const unused = leftBehind.length === 0 ? [] : await findUnused(leftBehind, now);
    await freePermits(permit, [permit.runId, ...unused.slice(0, removedPermitsMax)]);
  });
}

export async function releasePermit(
  permit: Pick<HeldPermit, 'runId'> & PermitScope,
  log: Log,
): Promise<void> {
  await release(permit, log, async () => await freePermits(permit, [permit.runId]));
}

/** A failure does not affect the result of the run; the next caller who needs the permit finds it unused. */
async function release(
  { runId }: Pick<HeldPermit, 'runId'>,
  log: Log,
  free: () => Promise<void>,
): Promise<void> {
  try {
    await free();
  } catch (error) {
    log.warn('the permit of a run was not released', {
      run_id: runId,
      reason: error instanceof Error ? error.name : 'unknown',
    });
  }
}
