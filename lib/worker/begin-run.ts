// Begins the run of an event or of a schedule, which nobody has stored before: the worker that has received the message
// stores the header with its own lease, or with the end of the run if the flow only computes.
import { randomUUID } from 'node:crypto';
import type { RunSettings } from '#lib/environment/environment-items.ts';
import type { CompiledFlow } from '#lib/flow/engine/node-context.ts';
import type { Log } from '#lib/log.ts';
import type { StoredRow } from '#lib/registry/row/stored-row.ts';
import { enqueueCallbackCheck } from '#lib/run/callback-queue.ts';
import { deferHeader } from '#lib/run/deferred-header.ts';
import { endRun } from '#lib/run/end.ts';
import { failedOutside } from '#lib/run/failure.ts';
import { leaseMs } from '#lib/run/lease-times.ts';
import { loadFlow } from '#lib/run/load-flow.ts';
import { type DeferredHeader, insertUnlessOther, readRun } from '#lib/run/run-items.ts';
import type { ScheduleMessage, WebhookMessage } from '#lib/run/run-queue.ts';
import { newRun, type RunStart, storeQueued } from '#lib/run/start.ts';
import { queuedLimitMs, type StoredRun } from '#lib/run/stored-run.ts';
import type { TraceContext } from '#lib/trace-context.ts';
import type { DeliveringTrigger } from '#lib/trigger/deliver-event.ts';
import { computeEventFingerprint, resolveMessage } from '#lib/trigger/resolve-trigger.ts';
import { countBudgetStop, findBudgetStop } from '#lib/usage/check-budget.ts';

export type FirstMessage = WebhookMessage | ScheduleMessage;

export interface FirstDelivery {
  /** The trace that the event joins. */
  readonly trace: TraceContext | undefined;
  /** Whether the message was delivered before, perhaps to a worker that has died of its run. */
  readonly isRepeated: boolean;
  /** Called before the first write, unless that stores a run together with its end. */
  readonly hide: () => void;
  readonly log: Log;
}

/** A run whose lease this worker holds. */
export interface BegunRun {
  readonly run: StoredRun;
  readonly lease: string;
  readonly row: StoredRow;
  readonly flow: CompiledFlow;
  readonly settings: RunSettings;
  readonly header: DeferredHeader | undefined;
}

/**
 * `stored`: the run exists already. `done`: nothing is left to do. `hopeless`: no later delivery can help, and there is
 * no run to report it in.
 */
export type Beginning =
  | { readonly kind: 'begun'; readonly begun: BegunRun }
  | { readonly kind: 'stored'; readonly run: StoredRun }
  | { readonly kind: 'done' }
  | { readonly kind: 'hopeless'; readonly reason: string };

/** Asks for an existing run only where it must: most messages come once. */
export async function beginRun(message: FirstMessage, delivery: FirstDelivery): Promise<Beginning> {
  const known = delivery.isRepeated ? await readExisting(message, delivery.log) : undefined;
  if (known) return { kind: 'stored', run: known };
  const resolved = await resolveMessage(message);
  const begun =
    'start' in resolved && (await begin({ ...resolved.start, settings: resolved.settings }, delivery));
  if (begun) return begun;
  const run = await readExisting(message, delivery.log);
  if (run) return { kind: 'stored', run };
  if ('start' in resolved) throw gone(message);
  return 'reason' in resolved
    ? { kind: 'hopeless', reason: resolved.reason }
    : await deliver(resolved.deliverBy, message, delivery);
}

type Start = Omit<RunStart, 'mode' | 'now' | 'limitMs' | 'settings'> & { readonly settings: RunSettings };

/** Undefined if a run of this id exists already. */
async function begin(
  start: Start,
  { trace, isRepeated, hide }: FirstDelivery,
): Promise<Beginning | undefined> {
  const stop = findBudgetStop(start.row);
  if (stop !== undefined) {
    hide();
    return await endAtOnce({ ...start, trace }, stop);
  }
  const flow = await loadOrStore({ ...start, trace }, hide);
  const lease = randomUUID();
  const run = newRun({
    ...start,
    trace,
    mode: 'queued',
    lease: { holder: lease, ms: leaseMs },
    limitMs: queuedLimitMs(),
    now: Date.now(),
  });
  // The worker of a delivery before may have died of it, and left nothing.
  const claimed: StoredRun = { ...run, claims: isRepeated ? 2 : 1 };
  const isSilent = run.callback_url === undefined && start.settings.keepValues === 'off';
  const header = flow.onlyComputes && isSilent && !isRepeated ? deferHeader(claimed, hide) : undefined;
  // The export follows the end in a message of its own.
  if (!header || start.settings.isExported) hide();
  if (!header) {
    await enqueueCallbackCheck(run);
    if (await insertUnlessOther(claimed)) return undefined;
  }
  return { kind: 'begun', begun: { run, lease, row: start.row, flow, settings: start.settings, header } };
}

/** The sender was answered that the event is accepted, so the run shows why it does not take place, and can be run again. */
async function endAtOnce(start: Start, stop: string): Promise<Beginning | undefined> {
  const { run, isNew } = await storeQueued(start);
  if (!isNew) return undefined;
  countBudgetStop(start.row);
  await endRun(run, failedOutside('limit.budget', stop), []);
  return { kind: 'done' };
}

/** A run whose flow cannot be loaded at the moment is seen while it waits for that. */
async function loadOrStore(start: Start, hide: () => void): Promise<CompiledFlow> {
  try {
    return await loadFlow(start.row);
  } catch (error) {
    hide();
    // If that fails too, the message comes again all the same.
    await storeQueued(start).catch(() => undefined);
    throw error;
  }
}

/** It expired between two calls: the message comes again. */
export const gone = ({ triggerId }: FirstMessage) => new Error(`The run ${triggerId} existed and is gone.`);

/** The run that another worker has stored under the id of the message. */
export async function readExisting(message: FirstMessage, log: Log): Promise<StoredRun | undefined> {
  const run = await readRun(message.triggerId);
  if (run && message.kind === 'webhook')
    logOtherEvent(run, computeEventFingerprint(message.triggerId, message.event), log);
  return run;
}

/** The sender of this event was answered that it is accepted, before the run of its name could be seen. */
function logOtherEvent(run: StoredRun, fingerprint: string | undefined, log: Log): void {
  if (run.fingerprint === undefined || fingerprint === undefined || run.fingerprint === fingerprint) return;
  log.warn('event dropped: its name has a run of another event', {
    run_id: run.run_id,
    orgid: run.orgid,
    workspaceid: run.workspaceid,
    flowid: run.flowid,
  });
}

async function deliver(
  trigger: DeliveringTrigger,
  message: FirstMessage,
  { hide }: FirstDelivery,
): Promise<Beginning> {
  if (message.kind !== 'webhook') return { kind: 'done' };
  hide();
  const { deliverEvent } = await import('#lib/trigger/deliver-event.ts');
  const reason = await deliverEvent(trigger, message);
  return reason === undefined ? { kind: 'done' } : { kind: 'hopeless', reason };
}
