// Runs and resumes a flow for callers of the package, with defaults for what most of them do not need.
import { randomUUID } from 'node:crypto';
import type { Answer } from '#lib/flow/engine/answer.ts';
import type { FlowInput } from '#lib/flow/engine/input-output.ts';
import type { CompiledFlow } from '#lib/flow/engine/node-context.ts';
import type { Ending } from '#lib/flow/engine/output.ts';
import type { InputRequest } from '#lib/flow/engine/pause.ts';
import type { Ports } from '#lib/flow/engine/ports.ts';
import { type ConnectionNeed, type Outcome, runFlow as run } from '#lib/flow/engine/run-flow.ts';
import type { Snapshot } from '#lib/flow/engine/snapshot.ts';
import type { FlowLimits } from '#lib/flow/format/flow-limits.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { clock } from '#lib/run/compute/clock.ts';

/**
 * What a run reaches outside. A node that needs an absent port fails, such as with `model.not_configured` or
 * `mcp.unavailable`. A port reports an error that `retry` and `catch` can match by throwing a `NodeError`.
 */
export interface EnginePorts extends Partial<Omit<Ports, 'checkpoint' | 'compute'>> {
  /**
   * Called after each node with what `resumeFlow` needs to continue from there. Serialise it before the call returns:
   * it shares objects with the run. The run waits for the promise; a rejection rejects the run.
   */
  readonly checkpoint?: (saved: SavedRun) => Promise<void>;
}

/** Settings of one invocation. */
export interface RunSettings {
  readonly ports?: EnginePorts;
  /** Limits that are lower than those of the flow. */
  readonly limits?: FlowLimits;
  /** Ends the run with the error `canceled`. */
  readonly signal?: AbortSignal;
  /** The longest wait in ms that the invocation sleeps through; a longer one ends it as `waiting`. Default: 60,000. */
  readonly patienceMs?: number;
  /** The time in ms after which no further node begins: the invocation then ends as `yielded`. Default: never. */
  readonly yieldAfterMs?: number;
  /** Names of connections of the flow that have no credential: the run then ends as `auth_required`. */
  readonly missingConnections?: readonly string[];
}

/** What a run began with. Plain JSON. */
interface RunStart {
  /** Identifies the run, such as in the idempotency keys of its requests. */
  readonly runId: string;
  /** In ms since 1970. */
  readonly startedAt: number;
  readonly input: FlowInput;
  /** Variables that expressions read as `env`; never secrets. */
  readonly env: JsonObject;
}

/** A run between two nodes. Plain JSON, which another process can resume. It fits only the flow that was run. */
export interface SavedRun extends RunStart {
  readonly snapshot: Snapshot;
}

export type RunOutcome =
  | ({ readonly status: 'completed' } & Ending)
  | {
      readonly status: 'failed';
      readonly error: {
        readonly code: string;
        readonly message: string;
        readonly node_id?: string;
        readonly cause?: unknown;
      };
    }
  /** `yieldAfterMs` is over: resume at once. */
  | { readonly status: 'yielded'; readonly saved: SavedRun }
  /** Resume at that time (RFC 3339), not earlier. */
  | { readonly status: 'waiting'; readonly until: string; readonly saved: SavedRun }
  /** Resume with an answer; at `until` (RFC 3339), if present, without one. */
  | {
      readonly status: 'input_required';
      readonly requests: readonly InputRequest[];
      readonly until?: string;
      readonly saved: SavedRun;
    }
  /** Nothing was executed. Start again when the connections have credentials. */
  | { readonly status: 'auth_required'; readonly needs: readonly ConnectionNeed[] }
  /** The answer does not fit. The run is unchanged: resume it with another answer. */
  | { readonly status: 'refused'; readonly error: { readonly code: string; readonly message: string } };

/**
 * Runs a flow until it ends, pauses or yields. A failed run is an outcome; the promise rejects only if the port
 * `checkpoint` does.
 */
export function runFlow(
  flow: CompiledFlow,
  {
    input = {},
    env = {},
    runId = randomUUID(),
    startedAt = Date.now(),
    ...settings
  }: RunSettings & Partial<Omit<RunStart, 'input'>> & { readonly input?: Partial<FlowInput> } = {},
): Promise<RunOutcome> {
  const started = { runId, startedAt, env, input: { message: '', user_variables: {}, ...input } };
  return invoke(flow, started, settings);
}

/** Resumes a run with the answer to one of its questions, or without one where the run does not need it. */
export function resumeFlow(
  flow: CompiledFlow,
  { snapshot, ...started }: SavedRun,
  { answer, ...settings }: RunSettings & { readonly answer?: Answer } = {},
): Promise<RunOutcome> {
  return invoke(flow, started, settings, { snapshot, ...(answer && { answer }) });
}

async function invoke(
  flow: CompiledFlow,
  started: RunStart,
  {
    ports = {},
    signal = new AbortController().signal,
    patienceMs = 60_000,
    yieldAfterMs,
    ...others
  }: RunSettings,
  resumed: { readonly snapshot?: Snapshot; readonly answer?: Answer } = {},
): Promise<RunOutcome> {
  const save = (snapshot: Snapshot): SavedRun => ({ ...started, snapshot });
  const { checkpoint } = ports;
  const all: Ports = {
    ...withoutOutside,
    ...ports,
    checkpoint: async (snapshot) => await checkpoint?.(save(snapshot)),
  };
  const yieldAt = yieldAfterMs === undefined ? undefined : all.clock.monotonic() + yieldAfterMs;
  const outcome = await run(flow, {
    ...started,
    ...resumed,
    ports: all,
    signal,
    patienceMs,
    ...others,
    ...(yieldAt !== undefined && { yieldAt }),
  });
  return toRunOutcome(outcome, save);
}

const withoutOutside: Omit<Ports, 'checkpoint'> = {
  clock,
  model: () => refuse('model.not_configured', 'model'),
  http: () => refuse('http.network', 'http'),
  log: () => {},
  reply: () => {},
};

const refuse = async (code: string, port: string): Promise<never> => {
  throw new NodeError(code, `This run has no port \`${port}\`.`);
};

function toRunOutcome(outcome: Outcome, save: (snapshot: Snapshot) => SavedRun): RunOutcome {
  switch (outcome.status) {
    case 'completed':
    case 'failed':
    case 'refused':
    case 'auth_required':
      return outcome;
    default: {
      const { snapshot, ...paused } = outcome;
      return { ...paused, saved: save(snapshot) };
    }
  }
}
