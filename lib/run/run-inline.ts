// Executes a run in the request that asks for it, within the tenant's limit. The run is started and finished
// by two calls, so that what goes wrong before it begins has a status of its own, and the answer can stream
// from then on.
import { randomBytes } from 'node:crypto';
import { requireEnv } from '#lib/env.ts';
import { readFirstSettings } from '#lib/environment/environment-items.ts';
import { ServiceError } from '#lib/errors.ts';
import type { FlowInput } from '#lib/flow/engine/run-flow.ts';
import { newRunId } from '#lib/ids.ts';
import { releasePermit } from '#lib/limits/concurrency-permit.ts';
import type { Permit } from '#lib/limits/permit-items.ts';
import type { Log } from '#lib/log.ts';
import { requireBudget } from '#lib/usage/check-budget.ts';
import { deferHeader } from './deferred-header.ts';
import { type ExecutionResult, execute } from './execute.ts';
import type { Execution } from './execution.ts';
import { inlineLeaseMs, marginMs } from './lease-times.ts';
import { loadFlow } from './load-flow.ts';
import { insertUnlessOther } from './run-items.ts';
import { acquireRunPermit, type RunPermit, releaseRunPermit } from './run-permit.ts';
import { newRun, type RunStart } from './start.ts';
import { type RunView, viewEnded } from './state.ts';
import { isFinal, type StoredEvent, type StoredRun } from './stored-run.ts';

/** The settings are read when absent. */
export interface InlineStart extends Omit<RunStart, 'mode' | 'lease' | 'limitMs' | 'now' | 'input'> {
  readonly flowInput: FlowInput;
  /** Stored with the run when somebody may ask for it later. */
  readonly keepInput?: string;
  /** The time left for the function, in ms. */
  readonly remainingMs: () => number;
  readonly log: Log;
}

/** Left when a run reaches its limit, to record and to answer it. */
const settleMs = 15_000;

/** A run that holds its permit and its lease, is stored unless its header is deferred, and has not begun. */
export interface InlineRun {
  readonly run: StoredRun;
  readonly execution: Omit<Execution, 'limitMs' | 'onEvent'>;
  readonly permit: RunPermit;
  /** By the monotonic clock, in ms. */
  readonly endsAt: number;
}

export async function startInline(start: InlineStart): Promise<InlineRun> {
  const started = await startUnlessStarted(start);
  if (started) return started;
  throw new ServiceError('internal', { cause: `A run of the id ${start.runId} exists already.` });
}

/** Undefined if a run of this id exists already: another request that names it was faster. */
export async function startUnlessStarted(start: InlineStart): Promise<InlineRun | undefined> {
  const [flow, settings] = await Promise.all([
    loadFlow(start.row),
    start.settings ?? readFirstSettings(start.row, start.environment),
  ]);
  // Its budgets may have been read with the settings only.
  requireBudget(start.row, start.caller);
  // Short, since each header has it: it is unique among the holders of one run.
  const lease = randomBytes(9).toString('base64url');
  // A start that was slow, because a key or a table was, is taken off the run: it must end before its
  // function does.
  const limitMs = Math.min(Number(requireEnv('RUN_LIMIT_SECONDS')) * 1_000, start.remainingMs() - settleMs);
  const endsAt = performance.now() + limitMs;
  const runId = start.runId ?? newRunId();
  const permit: Permit = {
    use: 'wait',
    orgid: start.caller.orgid,
    runId,
    keyId: start.caller.id,
    // By then the header is stored, unless the run is over, and its lease shows how long the permit is in use.
    untilMs: Date.now() + inlineLeaseMs + marginMs,
  };
  const acquired = await acquireRunPermit(permit, Date.now());
  const run = newRun({
    ...start,
    settings,
    runId,
    mode: 'inline',
    lease: { holder: lease, ms: inlineLeaseMs },
    limitMs,
    now: Date.now(),
    ...(start.keepInput !== undefined && { input: start.keepInput }),
  });
  const mayBeDeferred = isKnownToNobody(start) && flow.onlyComputes && settings.keepValues === 'off';
  const header = mayBeDeferred ? deferHeader(run) : undefined;
  if (!header && !(await storeHeld(run, permit, start.log))) return undefined;
  return {
    run,
    execution: {
      run,
      lease,
      leaseMs: inlineLeaseMs,
      header,
      flow,
      input: start.flowInput,
      ...settings,
      log: start.log,
    },
    permit: acquired,
    endsAt,
  };
}

/** False if a run of this id exists already. */
async function storeHeld(run: StoredRun, permit: Permit, log: Log): Promise<boolean> {
  try {
    const other = await insertUnlessOther(run);
    // The permit is that of the other request, unless that needs none any more.
    if (other && (isFinal(other.status) || other.mode === 'queued')) await releasePermit(permit, log);
    return other === undefined;
  } catch (error) {
    await releasePermit(permit, log);
    throw error;
  }
}

/** Nobody can ask for the run before its caller is answered, or start it again under the same name. */
const isKnownToNobody = ({ trigger, runId }: InlineStart): boolean =>
  trigger === 'api' && runId === undefined;

export type InlineResult = ExecutionResult & {
  /** The run at its end; undefined if this process has not stored the end. */
  readonly view: RunView | undefined;
};

/** Call it once. Settles within the limit, and nothing of the run continues after it. */
export async function finishInline(
  { run, execution, permit, endsAt }: InlineRun,
  follow?: (event: StoredEvent) => void,
): Promise<InlineResult> {
  const events: StoredEvent[] = [];
  const onEvent = (event: StoredEvent) => {
    events.push(event);
    follow?.(event);
  };
  let isListed = false;
  let view: RunView | undefined;
  try {
    const limitMs = endsAt - performance.now();
    const result = await execute({ ...execution, limitMs, onEvent, isFollowed: follow !== undefined });
    // Whoever else has ended the run has stored an event too.
    isListed = result.status === 'lost';
    view = viewEnded(run, events);
    return { ...result, view };
  } finally {
    // Lists find a run without an event by its permit, which is unused once the lease of the run has expired. A run that
    // is not stored is not listed.
    if (view) await releaseRunPermit(permit, execution.log);
    else if (isListed || events.length > 0 || execution.header?.isPending())
      await releasePermit(permit.permit, execution.log);
  }
}
