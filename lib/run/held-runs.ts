// Runs that requests execute at this moment, found by their permits: an index has such a run from its first event
// on, which most store only at their end. So they cost no index a write that their end would undo. The permit of
// a process that died remains until somebody needs it (`run-permit.ts`), so that its run is found too.
import * as z from 'zod';
import { built } from '#lib/json/built-schema.ts';
import { readPermits } from '#lib/limits/permit-items.ts';
import { readRunAttributes } from './read-runs.ts';
import { storedRun, withDerived } from './stored-run.ts';

const heldRun = /* @__PURE__ */ z.lazy(() =>
  built(storedRun).pick({
    run_id: true,
    generation: true,
    status: true,
    as: true,
    mode: true,
    lease_until: true,
    deadline: true,
    trigger: true,
    trigger_id: true,
    environment: true,
    orgid: true,
    workspaceid: true,
    flowid: true,
    a2aregistryid: true,
    build_no: true,
    caller_id: true,
    caller_orgid: true,
    context_id: true,
    created_at: true,
    status_timestamp: true,
    updated_at: true,
    ended_at: true,
  }),
);
export type HeldRun = ReturnType<typeof heldRun.parse>;

interface Waiting {
  /** The organisation of the callers. */
  readonly orgid: string;
  /** One API key; all of the organisation by default. */
  readonly keyId?: string;
}

/** Two calls, or one if nobody waits. A run has its permit before it is stored, and until an event of it is. */
export async function readHeldRuns({ orgid, keyId }: Waiting): Promise<HeldRun[]> {
  const permits = await readPermits({ orgid, use: 'wait' });
  const held = permits.filter((permit) => keyId === undefined || permit.keyId === keyId);
  return await readHeaders(held.map(({ runId }) => runId));
}

/** What headers say of runs that requests execute; one call for each hundred. */
export async function readHeaders(ids: readonly string[]): Promise<HeldRun[]> {
  const items = await readRunAttributes(ids, ['pk', ...Object.keys(built(heldRun).shape)]);
  return items.map((item) => heldRun.parse(withDerived(item)));
}

interface Positioned {
  readonly run_id: string;
  readonly position: string;
}

interface IndexRange {
  /** Positions, both included. */
  readonly from: string;
  readonly to: string;
  /** The index has no more in the range if it returned fewer. */
  readonly limit: number;
}

/** Adds the runs that an index does not have yet to what was read of it, newest first. */
export function addHeld<T extends Positioned>(
  listed: readonly T[],
  held: readonly T[],
  { from, to, limit }: IndexRange,
): readonly T[] {
  const last = (listed.length < limit ? undefined : listed.at(-1)?.position) ?? from;
  const known = new Set(listed.map(({ run_id }) => run_id));
  const isInRange = ({ position }: T) => last <= position && position <= to;
  const unlisted = held.filter((run) => isInRange(run) && !known.has(run.run_id));
  if (unlisted.length === 0) return listed;
  return [...listed, ...unlisted].sort((a, b) => (a.position < b.position ? 1 : -1));
}
