// Runs a build in the request that asks for it, within the tenant's limit. Starting is apart from running, so that what goes wrong
// before the run has a status of its own, and the answer can stream once the run has begun.
import { randomUUID } from 'node:crypto';
import { requireEnv } from '#lib/env.ts';
import { type Variables, variablesOf } from '#lib/environment/find-build.ts';
import type { FlowInput } from '#lib/flow/engine/run-flow.ts';
import { giveBack, takeRunSlot } from '#lib/limits/concurrency-permit.ts';
import type { Slot } from '#lib/limits/permit-items.ts';
import type { Log } from '#lib/log.ts';
import type { StoredRow } from '#lib/registry/stored-row.ts';
import { graceMs } from './abandoned.ts';
import { continueRun } from './continue.ts';
import { snapshotSealer } from './encrypted-snapshot.ts';
import { endRun } from './end.ts';
import { execute, type Finished } from './execute.ts';
import { loadFlow } from './load-flow.ts';
import { insertRun } from './run-items.ts';
import { newRun, type Start } from './start.ts';
import type { StoredEvent, StoredRun } from './stored-run.ts';

export interface InlineStart extends Omit<Start, 'mode' | 'lease' | 'limitMs' | 'now' | 'input'> {
  readonly row: StoredRow;
  /** What the flow sees as `env`; looked up when absent. */
  readonly env?: Variables;
  readonly flowInput: FlowInput;
  /** Kept with the run when somebody may ask for it later. */
  readonly keepInput?: string;
  /** What is left of the function's time, in ms. */
  readonly remainingMs: () => number;
  readonly log: Log;
}

/** Left when a run is at its limit, to record and to answer it. */
const settleMs = 15_000;

export interface StartedRun {
  readonly run: StoredRun;
  /** Begins; call it once. Settles within the limit, and nothing goes on after it. */
  readonly finish: (onEvent?: (event: StoredEvent) => void) => Promise<Finished>;
  /** Ends it when nobody waits for it any more. What is in flight is aborted within a second. */
  readonly cancel: () => Promise<void>;
}

export async function startInline(start: InlineStart): Promise<StartedRun> {
  const [flow, env] = await Promise.all([
    loadFlow(start.row),
    start.env ?? variablesOf(start.row, start.environment),
  ]);
  const lease = randomUUID();
  // A start that was slow, because a key or a table was, is taken off the run: it must end before its function does.
  const limitMs = Math.min(Number(requireEnv('RUN_LIMIT_SECONDS')) * 1_000, start.remainingMs() - settleMs);
  const endsAt = performance.now() + limitMs;
  const run = newRun({
    ...start,
    mode: 'inline',
    lease,
    limitMs,
    now: Date.now(),
    ...(start.keepInput !== undefined && { input: start.keepInput }),
  });
  const leaseMs = limitMs + graceMs;
  const slot: Slot = {
    use: 'wait',
    orgid: start.caller.orgid,
    runId: run.run_id,
    keyId: start.caller.id,
    untilMs: Date.now() + leaseMs,
  };
  await takeSlotAndInsert(slot, run, start.log);
  const execution = {
    run,
    lease,
    leaseMs,
    flow,
    input: start.flowInput,
    env,
    seal: snapshotSealer(run),
    log: start.log,
  };
  return {
    run,
    finish: async (onEvent) => {
      try {
        const limited = { ...execution, limitMs: endsAt - performance.now(), ...(onEvent && { onEvent }) };
        const finished = await execute(limited);
        await continueRun(run, finished);
        return finished;
      } finally {
        await giveBack(slot, start.log);
      }
    },
    cancel: async () => void (await endRun(run, { status: 'canceled' })),
  };
}

async function takeSlotAndInsert(slot: Slot, run: StoredRun, log: Log): Promise<void> {
  await takeRunSlot(slot, Date.now());
  try {
    await insertRun(run);
  } catch (error) {
    await giveBack(slot, log);
    throw error;
  }
}
