// Runs a flow for a run that this process holds the lease of, and records it: the engine, its ports and the recorder put together.
import { setTimeout } from 'node:timers/promises';
import type { CompiledFlow } from '#lib/flow/compile.ts';
import { type FlowInput, type Outcome, runFlow } from '#lib/flow/engine.ts';
import type { LogEntry, Ports, Snapshot } from '#lib/flow/ports.ts';
import type { Log } from '#lib/log.ts';
import { count } from '#lib/metrics.ts';
import { outsidePorts } from './outside.ts';
import { createRecorder, type Ending, type RecorderOptions } from './recorder.ts';

export interface Execution extends RecorderOptions {
  readonly flow: CompiledFlow;
  readonly input: FlowInput;
  readonly env: Readonly<Record<string, string>>;
  readonly snapshot?: Snapshot | undefined;
  /** Keeps a snapshot after each node, for a run that another process may take over. */
  readonly seal?: (snapshot: string) => Promise<Uint8Array>;
  /** Ms from now after which the run hands itself on at the next node. */
  readonly yieldAfterMs?: number;
  readonly signal?: AbortSignal;
  readonly log: Log;
}

export type Finished =
  | (Ending & { readonly logs: readonly LogEntry[] })
  /** Canceled by somebody, or taken over by another runner: nothing more was written. */
  | { readonly status: 'lost'; readonly logs: readonly LogEntry[] }
  /** Not over: the snapshot is stored, another invocation goes on. */
  | { readonly status: 'yielded'; readonly logs: readonly LogEntry[] };

export async function execute(execution: Execution): Promise<Finished> {
  const { run, flow, input, env } = execution;
  const recorder = createRecorder(execution);
  const logs: LogEntry[] = [];
  const save = async (snapshot: Snapshot) => {
    const bytes = await execution.seal?.(JSON.stringify(snapshot));
    if (bytes && bytes.length < snapshotBytesMax) await recorder.save(bytes);
  };
  const ports: Ports = {
    ...outsidePorts(),
    clock,
    checkpoint: execution.seal ? save : async () => undefined,
    log: (entry) => {
      logs.push(entry);
      recorder.log(entry);
    },
    reply: (reply) => {
      recorder.reply(reply);
      if (execution.onEvent) recorder.save().catch(() => undefined);
    },
  };
  try {
    const outcome = await runFlow(flow, {
      runId: run.run_id,
      input,
      env,
      startedAt: Date.parse(run.created_at),
      ports,
      timeoutMs: run.deadline - Date.now(),
      signal: AbortSignal.any([recorder.lost, ...(execution.signal ? [execution.signal] : [])]),
      ...(execution.snapshot && { snapshot: execution.snapshot }),
      ...(execution.yieldAfterMs !== undefined && { yieldAt: clock.monotonic() + execution.yieldAfterMs }),
    });
    return await settle(outcome);
  } finally {
    recorder.close();
  }

  async function settle(outcome: Outcome): Promise<Finished> {
    if (recorder.lost.aborted) return { status: 'lost', logs };
    if (outcome.status === 'yielded') {
      await save(outcome.snapshot);
      return { status: 'yielded', logs };
    }
    const ending = endingOf(outcome);
    count('Runs', { trigger: run.trigger, status: ending.status });
    execution.log.info('run', {
      run_id: run.run_id,
      flowid: run.flowid,
      status: ending.status,
      generation: run.generation,
    });
    return (await recorded(ending)) ? { ...ending, logs } : { status: 'lost', logs };
  }

  /** A result that cannot be recorded is still the result for the caller who waits; a queued run is delivered again instead. */
  async function recorded(ending: Ending): Promise<boolean> {
    try {
      return await recorder.finish(ending);
    } catch (error) {
      if (execution.seal) throw error;
      execution.log.error('run not recorded', {
        run_id: run.run_id,
        reason: error instanceof Error ? error.name : 'unknown',
      });
      return true;
    }
  }
}

/** An item may have 400 KB. A larger snapshot is not kept: a runner that takes over then repeats the nodes since the last one that was. */
const snapshotBytesMax = 380_000;

const clock: Ports['clock'] = {
  now: Date.now,
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    await setTimeout(ms, undefined, { signal });
  },
};

function endingOf(outcome: Exclude<Outcome, { status: 'yielded' }>): Ending {
  if (outcome.status === 'completed') return { status: 'completed', response: outcome.response };
  const { code, message, node_id } = outcome.error;
  return {
    status: 'failed',
    error: node_id === undefined ? `${message} (${code})` : `${node_id}: ${message} (${code})`,
  };
}
