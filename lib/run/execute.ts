// Runs a flow for a run that this process holds the lease of, and records it: the engine, its ports and the recorder put together.
import { isRefusedForGood } from '#lib/aws-errors.ts';
import type { Answer } from '#lib/flow/engine/answer.ts';
import { redacted } from '#lib/flow/engine/log-preview.ts';
import type { CompiledFlow } from '#lib/flow/engine/node-context.ts';
import type { InputRequest } from '#lib/flow/engine/pause.ts';
import type { Ports } from '#lib/flow/engine/ports.ts';
import { type FlowInput, type Outcome, runFlow } from '#lib/flow/engine/run-flow.ts';
import { requestsIn, type Snapshot, wakesAt } from '#lib/flow/engine/snapshot.ts';
import type { LogEntry } from '#lib/flow/ports/log-entry.ts';
import type { Log } from '#lib/log.ts';
import { callChain } from './call-chain.ts';
import { itemBytesMax } from './chunks.ts';
import { clock } from './clock.ts';
import { computePort } from './compute/compute-port.ts';
import { countEnd } from './count-end.ts';
import { logDefect } from './defect.ts';
import { announceEnd } from './enqueue-callback.ts';
import { keepAtRest, queuedLimitMs } from './keep-until.ts';
import { missingNames } from './missing-connections.ts';
import { needsText, type RunNeeds, runNeedsOf } from './needs.ts';
import { createRecorder, type Ending, type Recorder, type RecorderOptions } from './recorder.ts';
import { expireEarlier, expireTogether } from './retention-items.ts';
import { outsidePorts } from './runtime-ports.ts';
import { waitingItemOf } from './waiting-items.ts';

export interface Execution extends RecorderOptions {
  readonly flow: CompiledFlow;
  readonly input: FlowInput;
  readonly env: Readonly<Record<string, string>>;
  readonly snapshot?: Snapshot | undefined;
  /** What somebody answered since the snapshot. */
  readonly answer?: Answer | undefined;
  readonly seal: (snapshot: string) => Promise<Uint8Array>;
  /** Left for the run, in ms by the monotonic clock. */
  readonly limitMs: number;
  /** Ms from now after which the run hands itself on at the next node. */
  readonly yieldAfterMs?: number;
  readonly log: Log;
}

export type Finished = (
  | Ending
  /** Canceled by somebody, or taken over by another runner: nothing more was written. */
  | { readonly status: 'lost' }
  /** Not over: the snapshot is stored, another invocation goes on. */
  | { readonly status: 'yielded' }
  /** Not over: the snapshot is stored, and another invocation goes on at that time. */
  | { readonly status: 'waiting'; readonly wakeAt: number }
  /** Has not begun, and does not until the connections are stored. */
  | { readonly status: 'auth_required'; readonly needs: RunNeeds }
  /** Stands still until somebody answers, or until `wakeAt`. */
  | {
      readonly status: 'input_required';
      readonly requests: readonly InputRequest[];
      readonly wakeAt: number | undefined;
    }
) & { readonly logs: readonly LogEntry[] };
type Result<F = Finished> = F extends Finished ? Omit<F, 'logs'> : never;

export async function execute(execution: Execution): Promise<Finished> {
  const recorder = createRecorder(execution);
  const logs: LogEntry[] = [];
  const save = saver(execution, recorder);
  const { run, snapshot, answer, limitMs, yieldAfterMs } = execution;
  const outside = outsidePorts(run, execution.flow.connections, recorder.use);
  try {
    const { chain, limits } = callChain(execution.input, run.flowid);
    const outcome = await runFlow(execution.flow, {
      runId: run.run_id,
      chain,
      limits,
      missingConnections: snapshot ? [] : await missingNames(run, execution.flow.connections),
      input: execution.input,
      env: execution.env,
      startedAt: Date.parse(run.created_at),
      ports: {
        ...outside,
        ...insidePorts(execution, recorder, save, logs),
        compute: computePort(run.orgid),
      },
      timeoutMs: limitMs,
      signal: recorder.lost,
      // A run that somebody waits for may sleep; another rests, so that no function waits with it.
      patienceMs: run.mode === 'inline' ? Number.POSITIVE_INFINITY : patienceMs,
      ...(snapshot && { snapshot }),
      ...(answer && { answer }),
      ...(yieldAfterMs !== undefined && { yieldAt: clock.monotonic() + yieldAfterMs }),
    });
    return { ...(await settle(execution, recorder, outcome)), logs };
  } catch (error) {
    if (!isRefusedForGood(error)) throw error;
    return { ...(await giveUp(execution, recorder, error)), logs };
  } finally {
    recorder.close();
    await outside.close();
  }
}

/** Longer waits of a queued run free its worker. */
const patienceMs = 5_000;

async function settle(execution: Execution, recorder: Recorder, outcome: Outcome): Promise<Result> {
  if (recorder.lost.aborted) return { status: 'lost' };
  switch (outcome.status) {
    case 'completed':
      return await end(execution, recorder, outcome);
    case 'failed':
      if (outcome.error.code === 'internal') logDefect(execution.log, execution.run, outcome.error);
      return await end(execution, recorder, { status: 'failed', error: textOf(outcome.error) });
    case 'auth_required':
      return await hold(execution, recorder, runNeedsOf(execution.run, outcome.needs));
    case 'yielded': {
      const sealed = await execution.seal(JSON.stringify(outcome.snapshot));
      return (await recorder.save(sealed)) ? { status: 'yielded' } : { status: 'lost' };
    }
    case 'waiting':
    case 'input_required':
      return await rest(execution, recorder, outcome);
    case 'refused':
      return await askAgain(execution, recorder, outcome.error.message);
  }
}

type Resting = Extract<Outcome, { status: 'waiting' | 'input_required' }>;

/** Whoever waited has an answer now; what follows is the worker's. */
async function rest(execution: Execution, recorder: Recorder, outcome: Resting): Promise<Result> {
  const { run } = execution;
  const { status, until, snapshot } = outcome;
  const wakeAt = until === undefined ? undefined : Date.parse(until);
  const requests = status === 'input_required' ? outcome.requests : undefined;
  const ttl = keepAtRest(run, wakeAt, Date.now());
  const isKept = await recorder.rest(
    {
      status: requests ? 'input_required' : 'working',
      ...(requests && { requests }),
      header: {
        mode: 'queued',
        wake_at: wakeAt ?? 0,
        input: JSON.stringify(execution.input),
        // Standing still takes nothing of its time.
        deadline: (wakeAt ?? Date.now()) + queuedLimitMs(),
        ttl,
      },
    },
    await execution.seal(JSON.stringify(snapshot)),
  );
  if (!isKept) return { status: 'lost' };
  if (ttl !== run.ttl) await expireTogether(run.run_id);
  return requests
    ? { status: 'input_required', requests, wakeAt }
    : { status: 'waiting', wakeAt: wakeAt ?? Date.now() };
}

/** Of a caller who gets the result and nothing else, nobody comes back to it. */
async function hold(execution: Execution, recorder: Recorder, needs: RunNeeds): Promise<Result> {
  const { run, input } = execution;
  if (run.trigger === 'api')
    return await end(execution, recorder, { status: 'failed', error: needsText(needs) });
  const ttl = keepAtRest(run, undefined, Date.now());
  const header = { mode: 'queued', wake_at: 0, input: JSON.stringify(input), ttl } as const;
  const [first] = needs.connections;
  const waiting = first && waitingItemOf(run, execution.lease, first);
  if (!(await recorder.rest({ status: 'auth_required', needs, waiting, header }))) return { status: 'lost' };
  if (ttl !== run.ttl) await expireTogether(run.run_id);
  return { status: 'auth_required', needs };
}

/** Answers are looked at before they are stored, so this one met another state of the run; its questions still stand. */
async function askAgain(execution: Execution, recorder: Recorder, message: string): Promise<Result> {
  const { snapshot } = execution;
  const requests = snapshot ? requestsIn(snapshot) : [];
  if (!snapshot || requests.length === 0)
    return await end(execution, recorder, { status: 'failed', error: message });
  const until = wakesAt(snapshot);
  return await rest(execution, recorder, {
    status: 'input_required',
    requests,
    snapshot,
    ...(until !== undefined && { until }),
  });
}

/** A snapshot that takes many items is many writes: the run keeps one now and then, and repeats a few more nodes after a crash. */
const largeSnapshotEveryMs = 60_000;

/** Keeps a snapshot after each node of a run that another process may take over. */
function saver({ run, seal }: Execution, recorder: Recorder) {
  let largeAt = Number.NEGATIVE_INFINITY;
  return async (snapshot: Snapshot): Promise<void> => {
    if (run.mode === 'inline') return;
    const sealed = await seal(JSON.stringify(snapshot));
    const isLarge = sealed.length > itemBytesMax;
    if (isLarge && clock.monotonic() - largeAt < largeSnapshotEveryMs) return;
    await recorder.save(sealed);
    if (isLarge) largeAt = clock.monotonic();
  };
}

function insidePorts(
  execution: Execution,
  recorder: Recorder,
  save: (snapshot: Snapshot) => Promise<void>,
  logs: LogEntry[],
): Omit<Ports, 'http' | 'model'> {
  /** Somebody listens: tell them now, not at the next tick. A write that fails is tried again with the next. */
  const tellNow = () => {
    if (execution.onEvent) recorder.save().catch(() => undefined);
  };
  return {
    clock,
    checkpoint: save,
    log: (entry) => {
      logs.push(entry);
      recorder.log(entry);
    },
    text: (piece) => {
      recorder.text(piece);
      // That something comes is told at once. The rest comes with the ticks: models write faster than tables should be.
      if (piece.chunk && !piece.chunk.append) tellNow();
    },
    reply: (reply, key) => {
      recorder.reply({ ...reply, key });
      tellNow();
    },
  };
}

async function end(execution: Execution, recorder: Recorder, ending: Ending): Promise<Result> {
  try {
    if (!(await recorder.finish(ending))) return { status: 'lost' };
    await announceEnd(execution.run, execution.log);
    await expireEarlier(execution.run);
  } catch (error) {
    // A queued run is delivered again; for a caller who waits, a result that could not be recorded is still the result.
    if (execution.run.mode === 'queued' || isRefusedForGood(error)) throw error;
    logNotRecorded(execution, error);
  }
  tellEnd(execution, ending);
  return ending;
}

/** Delivered again, it would be refused again. */
async function giveUp(execution: Execution, recorder: Recorder, refusal: unknown): Promise<Result> {
  logNotRecorded(execution, refusal);
  const ending = { status: 'failed', error: refusedText } as const;
  if (!(await recorder.giveUp(ending.error))) return { status: 'lost' };
  await announceEnd(execution.run, execution.log);
  await expireEarlier(execution.run);
  tellEnd(execution, ending);
  return ending;
}

const refusedText = 'The run ended because what it had to keep was refused, most likely as too large.';

function tellEnd({ run, log }: Execution, { status }: Ending): void {
  countEnd(run, status);
  log.info('run', { run_id: run.run_id, flowid: run.flowid, status });
}

function logNotRecorded({ run, log }: Execution, error: unknown): void {
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : 'unknown';
  log.error('run not recorded', { run_id: run.run_id, reason });
}

/** For callers and receivers, whom the secrets of a flow concern no more than the log does. */
function textOf({ code, message, node_id }: Extract<Outcome, { status: 'failed' }>['error']): string {
  const said = `${redacted(message)} (${code})`;
  return node_id === undefined ? said : `${node_id}: ${said}`;
}
