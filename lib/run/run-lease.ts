// The lease of a run: who may write to it, and until when. Each change is one conditional write of the header,
// without an event.
import { runsTable } from '#lib/dynamo/client.ts';
import { updateItemIf } from '#lib/dynamo/items.ts';
import { finalValues, isOpen } from './run-items.ts';
import { graceMs, runKey, type StoredRun } from './stored-run.ts';

/**
 * Takes the lease of a run that is not over, that nobody holds any more and that does not count as failed.
 * False otherwise.
 */
export async function claimRun(
  run: StoredRun,
  lease: string,
  now: number,
  leaseUntil: number,
): Promise<boolean> {
  return await updateHead(run.run_id, {
    change: 'SET lease = :lease, lease_until = :until, claims = :claims, deadline = :deadline',
    condition: `generation = :seen AND lease_until < :now AND (deadline >= :overdue OR #status = :asking) AND ${isOpen}`,
    values: {
      ':lease': lease,
      ':until': leaseUntil,
      ':claims': (run.claims ?? 0) + 1,
      ':deadline': run.deadline,
      ':seen': run.generation,
      ':now': now,
      ':overdue': now - graceMs,
      ':asking': 'input_required',
    },
  });
}

/** A runner that has nothing to write says that it lives. False when the run is no longer its own. */
export async function renewLease(id: string, lease: string, until: number): Promise<boolean> {
  return await updateHead(id, {
    change: 'SET lease_until = :until',
    condition: `lease = :lease AND ${isOpen}`,
    values: { ':until': until, ':lease': lease },
  });
}

/**
 * Lets the next runner in at once; a runner that does so in order is not counted. Nothing happens when the
 * lease is no longer ours.
 */
export async function releaseRun({ run_id, claims }: Claimed, lease: string): Promise<void> {
  await updateHead(run_id, {
    change: 'SET lease_until = :never, claims = :claims',
    condition: `lease = :lease AND ${isOpen}`,
    values: { ':never': 0, ':lease': lease, ':claims': claims ?? 0 },
  });
}

type Claimed = Pick<StoredRun, 'run_id' | 'claims'>;

interface HeadUpdate {
  readonly change: string;
  /** Refers to `isOpen`. */
  readonly condition: string;
  readonly values: Readonly<Record<string, unknown>>;
}

async function updateHead(id: string, { change, condition, values }: HeadUpdate): Promise<boolean> {
  return await updateItemIf(runsTable, runKey(id), {
    UpdateExpression: change,
    ConditionExpression: condition,
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ...values, ...finalValues },
  });
}
