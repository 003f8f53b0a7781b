// Shared by the tests of this folder: ports that answer from a script, and short ways to evaluate and to run.
import { checkFlow } from '#lib/flow/check/check-flow.ts';
import { compileFlow } from '#lib/flow/definition/compile.ts';
import type { Flow } from '#lib/flow/definition/flow.ts';
import type { Reply } from '#lib/flow/engine/output.ts';
import type { Ports } from '#lib/flow/engine/ports.ts';
import { type FlowInput, type Outcome, type RunOptions, runFlow } from '#lib/flow/engine/run-flow.ts';
import type { Snapshot } from '#lib/flow/engine/snapshot.ts';
import type { Scope } from '#lib/flow/expression/scope.ts';
import { template } from '#lib/flow/expression/template.ts';
import type { HttpAnswer, HttpRequest } from '#lib/flow/ports/http.ts';
import type { LogEntry } from '#lib/flow/ports/log-entry.ts';
import type { ModelAnswer, ModelRequest } from '#lib/flow/ports/model.ts';
import type { NodeCall } from '#lib/flow/ports/node-call.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { clock as realClock } from '#lib/run/compute/clock.ts';

export const startedAt = Date.parse('2026-11-21T09:00:00.000Z');

/** The value of a template in a scope of which the test gives what matters. */
export async function evaluate(
  value: Json,
  scope: Partial<Scope> = {},
  cpuMs = realClock.cpuMs,
): Promise<Json> {
  const run = { id: 'run-1', started_at: new Date(startedAt).toISOString(), turn: 1 };
  const whole = { input: { message: '', user_variables: {} }, state: {}, env: {}, nodes: {}, run, ...scope };
  return await template(value)({ scope: whole, ...unhurried(), cpuMs });
}

/** What an evaluation needs beside its scope: no pause, and no time but that of its own work. */
export const unhurried = () => ({ pace: () => undefined, cpuMs: realClock.cpuMs, made: 0 });

/**
 * The clock of a machine on which evaluations take no time, so that only counted work ends them. On a machine
 * that is shared, a hypervisor may count what it gave to others as CPU time of this thread, which makes steps
 * several times as long.
 */
export const timeless = () => 0;

/** Ports that are not given are absent. */
export interface Script
  extends Pick<
    Ports,
    'mcp' | 'agent' | 'cancelTask' | 'discover' | 'flows' | 'compute' | 'store' | 'code' | 'watch'
  > {
  readonly model?: (request: ModelRequest, call: NodeCall) => Promise<ModelAnswer> | ModelAnswer;
  readonly http?: (request: HttpRequest, call: NodeCall) => Promise<HttpAnswer> | HttpAnswer;
  readonly checkpoint?: (snapshot: Snapshot) => Promise<void> | void;
  readonly text?: Ports['text'];
  /** Sleeps of at most so many ms, such as pauses before another try, take no time. */
  readonly pauseMsMax?: number;
}

export interface Recorded {
  readonly ports: Ports;
  readonly clock: ManualClock;
  readonly entries: LogEntry[];
  readonly replies: Reply[];
  readonly snapshots: string[];
  readonly requests: HttpRequest[];
  readonly prompts: ModelRequest[];
}

export function scripted(script: Script = {}): Recorded {
  const clock = manualClock(script.pauseMsMax);
  const record: Omit<Recorded, 'ports' | 'clock'> = {
    entries: [],
    replies: [],
    snapshots: [],
    requests: [],
    prompts: [],
  };
  const { mcp, agent, cancelTask, discover, flows, compute, store, code, watch } = script;
  const ports: Ports = {
    ...(mcp && { mcp }),
    ...(agent && { agent }),
    ...(cancelTask && { cancelTask }),
    ...(discover && { discover }),
    ...(flows && { flows }),
    ...(compute && { compute }),
    ...(store && { store }),
    ...(code && { code }),
    ...(watch && { watch }),
    model: async (request, call) => {
      record.prompts.push(request);
      return await (script.model?.(request, call) ?? modelAnswer('ok'));
    },
    http: async (request, call) => {
      record.requests.push(request);
      return await (script.http?.(request, call) ?? httpAnswer(200));
    },
    clock,
    checkpoint: async (snapshot) => {
      record.snapshots.push(JSON.stringify(snapshot));
      await script.checkpoint?.(snapshot);
    },
    log: (entry) => record.entries.push(entry),
    reply: (reply) => record.replies.push(reply),
    ...(script.text && { text: script.text }),
  };
  return { ...record, ports, clock };
}

export const modelAnswer = (output: Json, tokens = 10): ModelAnswer => ({
  output,
  model: 'demo/scripted',
  tokens: { input: tokens, output: tokens },
});

export const httpAnswer = (status: number, body: Json = null): HttpAnswer => ({ status, headers: {}, body });

/** A promise that nothing settles: a port that ignores its signal. */
export const never = <T>() => new Promise<T>(() => {});

interface ManualClock {
  readonly now: () => number;
  readonly monotonic: () => number;
  readonly cpuMs: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Time passes: sleepers whose time has come wake up. */
  readonly pass: (ms: number) => void;
  /** Lengths of the sleeps asked for and not taken back. */
  readonly sleeping: () => number[];
}

/** Time moves only when a test says so; it starts where a mistaken zero would show. */
function manualClock(pauseMsMax = -1): ManualClock {
  let time = 1_000;
  const sleepers = new Set<{ readonly at: number; readonly ms: number; readonly wake: () => void }>();
  return {
    now: () => startedAt + time,
    monotonic: () => time,
    cpuMs: () => 0,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (ms <= pauseMsMax) return resolve();
        const sleeper = { at: time + ms, ms, wake: resolve };
        sleepers.add(sleeper);
        signal.addEventListener('abort', () => {
          sleepers.delete(sleeper);
          reject(signal.reason);
        });
      }),
    pass: (ms) => {
      time += ms;
      for (const sleeper of sleepers) {
        if (sleeper.at > time) continue;
        sleepers.delete(sleeper);
        sleeper.wake();
      }
    },
    sleeping: () => [...sleepers].map(({ ms }) => ms),
  };
}

/** Lets everything that is ready continue, so that a test then sees what the engine waits for. */
export const quiet = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A flow of the given nodes that has passed the checks; the first node is the start. */
export function checkedFlow(
  nodes: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>> = {},
): Flow {
  const [start] = Object.keys(nodes);
  const checked = checkFlow({ version: 1, name: 'Test', start, nodes, ...more });
  if (checked.ok) return checked.flow;
  throw new Error(JSON.stringify(checked.errors));
}

export const emptyInput: FlowInput = { message: '', user_variables: {} };

export async function run(
  flow: Flow,
  recorded: Recorded,
  options: Partial<RunOptions> = {},
): Promise<Outcome> {
  return await runFlow(compileFlow(flow), {
    runId: 'run-1',
    input: emptyInput,
    startedAt,
    signal: new AbortController().signal,
    ports: recorded.ports,
    ...options,
  });
}

/** Runs nodes and gives the outcome with what the ports saw. */
export async function runNodes(
  nodes: Readonly<Record<string, unknown>>,
  script: Script = {},
  more: { readonly flow?: JsonObject; readonly options?: Partial<RunOptions> } = {},
) {
  const recorded = scripted(script);
  const outcome = await run(checkedFlow(nodes, more.flow), recorded, more.options);
  return { outcome, ...recorded };
}

/**
 * The first run of a process loads the modules that its nodes need, which takes longer than `quiet` waits. A flow that
 * calls others has all of them.
 */
const anyFlow = checkedFlow({ call: { type: 'flow', flowid: 'other' } });
await Promise.all(compileFlow(anyFlow).modules.map(({ load }) => load()));
