// Runs a flow for a run that this process holds the lease of, and records it: the engine, its ports and the recorder put together.
import { setTimeout } from 'node:timers/promises';
import type { CompiledFlow } from '#lib/flow/compile.ts';
import { type FlowInput, type Outcome, runFlow } from '#lib/flow/engine.ts';
import type { LogEntry, Ports } from '#lib/flow/ports.ts';
import type { Snapshot } from '#lib/flow/snapshot.ts';
import type { Log } from '#lib/log.ts';
import { count } from '#lib/metrics.ts';
import { callChain } from './call-chain.ts';
import { missingNames } from './missing-connections.ts';
import { outsidePorts } from './outside.ts';
import { createRecorder, type Ending, type Recorder, type RecorderOptions } from './recorder.ts';

export interface Execution extends RecorderOptions {
  readonly flow: CompiledFlow;
  readonly input: FlowInput;
  readonly env: Readonly<Record<string, string>>;
  readonly snapshot?: Snapshot | undefined;
  /** Keeps a snapshot after each node, for a run that another process may take over. */
  readonly seal?: (snapshot: string) => Promise<Uint8Array>;
  /** Ms from now after which the run hands itself on at the next node. */
  readonly yieldAfterMs?: number;
  readonly log: Log;
}

export type Finished =
  | (Ending & { readonly logs: readonly LogEntry[] })
  /** Canceled by somebody, or taken over by another runner: nothing more was written. */
  | { readonly status: 'lost'; readonly logs: readonly LogEntry[] }
  /** Not over: the snapshot is stored, another invocation goes on. */
  | { readonly status: 'yielded'; readonly logs: readonly LogEntry[] };

export async function execute(execution: Execution): Promise<Finished> {
  const recorder = createRecorder(execution);
  const logs: LogEntry[] = [];
  const save = saver(execution, recorder);
  const outside = outsidePorts(execution.run, execution.flow.connections);
  try {
    const { chain, limits } = callChain(execution.input, execution.run.flowid);
    const outcome = await runFlow(execution.flow, {
      chain,
      limits,
      missingConnections: execution.snapshot
        ? []
        : await missingNames(execution.run, execution.flow.connections),
      runId: execution.run.run_id,
      input: execution.input,
      env: execution.env,
      startedAt: Date.parse(execution.run.created_at),
      ports: { ...outside, ...insidePorts(execution, recorder, save, logs) },
      timeoutMs: execution.run.deadline - Date.now(),
      signal: recorder.lost,
      patienceMs: Number.POSITIVE_INFINITY,
      ...(execution.snapshot && { snapshot: execution.snapshot }),
      ...(execution.yieldAfterMs !== undefined && { yieldAt: clock.monotonic() + execution.yieldAfterMs }),
    });
    if (recorder.lost.aborted) return { status: 'lost', logs };
    if (outcome.status !== 'yielded') return { ...(await end(execution, recorder, endingOf(outcome))), logs };
    if (await save(outcome.snapshot)) return { status: 'yielded', logs };
    return { ...(await end(execution, recorder, tooLarge)), logs };
  } finally {
    recorder.close();
    await outside.close();
  }
}

/** An item may have 400 KB. */
const snapshotBytesMax = 380_000;
const tooLarge: Ending = {
  status: 'failed',
  error: 'The state of the run is too large to go on in another invocation.',
};

/** False when the snapshot is too large to keep: a runner that takes over then repeats the nodes since the last one that was kept. */
function saver({ seal }: Execution, recorder: Recorder) {
  return async (snapshot: Snapshot): Promise<boolean> => {
    const bytes = await seal?.(JSON.stringify(snapshot));
    if (!bytes || bytes.length > snapshotBytesMax) return false;
    await recorder.save(bytes);
    return true;
  };
}

function insidePorts(
  execution: Execution,
  recorder: Recorder,
  save: (snapshot: Snapshot) => Promise<boolean>,
  logs: LogEntry[],
): Omit<Ports, 'http' | 'model'> {
  return {
    clock,
    checkpoint: async (snapshot) => {
      await save(snapshot);
    },
    log: (entry) => {
      logs.push(entry);
      recorder.log(entry);
    },
    reply: (reply) => {
      recorder.reply(reply);
      // Somebody listens: tell them now, not at the next tick. A write that fails is tried again with the next.
      if (execution.onEvent) recorder.save().catch(() => undefined);
    },
  };
}

const clock: Ports['clock'] = {
  now: Date.now,
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    await setTimeout(ms, undefined, { signal });
  },
};

async function end(
  { run, seal, log }: Execution,
  recorder: Recorder,
  ending: Ending,
): Promise<Ending | { status: 'lost' }> {
  count('Runs', { trigger: run.trigger, status: ending.status });
  log.info('run', { run_id: run.run_id, flowid: run.flowid, status: ending.status });
  try {
    return (await recorder.finish(ending)) ? ending : { status: 'lost' };
  } catch (error) {
    // A queued run is delivered again; for a caller who waits, a result that could not be recorded is still the result.
    if (seal) throw error;
    log.error('run not recorded', {
      run_id: run.run_id,
      reason: error instanceof Error ? error.name : 'unknown',
    });
    return ending;
  }
}

function endingOf(outcome: Exclude<Outcome, { status: 'yielded' }>): Ending {
  if (outcome.status === 'completed') return { status: 'completed', response: outcome.response };
  if (outcome.status !== 'failed' && outcome.status !== 'refused')
    return { status: 'failed', error: standstills[outcome.status] };
  const { code, message } = outcome.error;
  const place = outcome.status === 'failed' ? outcome.error.node_id : undefined;
  return {
    status: 'failed',
    error: place === undefined ? `${message} (${code})` : `${place}: ${message} (${code})`,
  };
}

/** What a run cannot wait for here. */
const standstills = {
  input_required: 'The flow asks for an answer, which this trigger cannot give.',
  waiting: 'The flow waits for longer than a run of this trigger may take.',
  auth_required: 'The flow needs connections that are not configured.',
} as const;
