// One process that executes a part of a run, and may die at any of its calls. What it has done outside remains.
import type { CompiledFlow } from '#lib/flow/engine/node-context.ts';
import type { Ports } from '#lib/flow/engine/ports.ts';
import { type Outcome, type RunOptions, runFlow } from '#lib/flow/engine/run-flow.ts';
import type { LogEntry } from '#lib/flow/ports/log-entry.ts';
import type { Weather } from './faults.ts';
import { createOutside, never, type Outside } from './outside.ts';
import { createClock, settle } from './timeline.ts';
import type { World } from './world.ts';

export type Interruption =
  | { readonly kind: 'none' }
  /** The process dies at that event: before or after a call has its effect. */
  | { readonly kind: 'crash'; readonly at: number }
  /** The run is canceled then. */
  | { readonly kind: 'cancel'; readonly at: number }
  /** It yields after so many snapshots. */
  | { readonly kind: 'yield'; readonly at: number };

export interface ProcessRun {
  /** Undefined if the process died. */
  readonly outcome: Outcome | undefined;
  /** The last snapshot that was stored, and its time. */
  readonly stored: StoredSnapshot | undefined;
  readonly entries: readonly LogEntry[];
  readonly used: Used;
  readonly wasCanceled: boolean;
}

interface StoredSnapshot {
  readonly text: string;
  readonly now: number;
}

interface Used {
  readonly steps: number;
  readonly modelCalls: number;
  readonly tokens: number;
}

interface Conditions {
  readonly world: World;
  readonly weather: Weather;
  readonly interruption: Interruption;
  /** Whether waits are slept through. */
  readonly isPatient: boolean;
}

type Options = Pick<RunOptions, 'snapshot' | 'answer' | 'input' | 'startedAt'>;

export async function runProcess(
  flow: CompiledFlow,
  { isPatient, ...conditions }: Conditions,
  options: Options,
): Promise<ProcessRun> {
  const { ports, entries, signal, advance, died, stored, yieldAt } = createProcess(conditions);
  let used: Used = { steps: 0, modelCalls: 0, tokens: 0 };
  const run = runFlow(flow, {
    ...options,
    runId: 'run-1',
    ports,
    signal,
    onUsed: (counted) => {
      used = counted;
    },
    ...(isPatient ? { patienceMs: Number.POSITIVE_INFINITY } : { taskPatienceMs: 0 }),
    ...(yieldAt !== undefined && { yieldAt }),
  });
  const outcome = await awaitRun(Promise.race([run, died]), advance);
  return { outcome, stored: stored(), entries, used: { ...used }, wasCanceled: signal.aborted };
}

function createProcess({ world, weather, interruption }: Omit<Conditions, 'isPatient'>) {
  const { timeline, replies } = world;
  const { kind } = interruption;
  const at = kind === 'none' ? undefined : interruption.at;
  const { sleep, advance } = createClock(timeline);
  const abort = new AbortController();
  const { promise: died, resolve: die } = Promise.withResolvers<undefined>();
  const entries: LogEntry[] = [];
  let stored: StoredSnapshot | undefined;
  let [events, snapshots, isDead] = [0, 0, false];
  const passEvent: Outside['passEvent'] = () => {
    if (++events === at && kind === 'cancel') abort.abort();
    if (events === at && kind === 'crash') {
      isDead = true;
      die(undefined);
    }
    return isDead;
  };
  const isYielding = () => kind === 'yield' && at !== undefined && snapshots >= at;
  const ports: Ports = {
    ...createOutside({ world, weather, passEvent, sleep }),
    clock: {
      now: () => timeline.now,
      monotonic: () => timeline.now + (isYielding() ? yieldMs : 0),
      cpuMs: () => 0,
      sleep,
    },
    checkpoint: async (snapshot) => {
      const text = JSON.stringify(snapshot);
      if (passEvent()) return await never();
      snapshots++;
      stored = { text, now: timeline.now };
      if (passEvent()) return await never();
    },
    log: (entry) => entries.push(entry),
    reply: (reply, key) => {
      if (!isDead) replies.add(`${key} ${JSON.stringify(reply)}`);
    },
    text: () => undefined,
  };
  const yieldAt = kind === 'yield' ? timeline.now + yieldMs : undefined;
  return { ports, entries, signal: abort.signal, advance, died, stored: () => stored, yieldAt };
}

/** Less than any duration of a flow, so that a process that yields does not move the time. */
const yieldMs = 1e-3;

/** Time passes whenever everything else waits. */
async function awaitRun<T>(run: Promise<T>, advance: () => boolean): Promise<T> {
  let isOver = false;
  const over = run.finally(() => {
    isOver = true;
  });
  over.catch(() => undefined);
  for (;;) {
    await settle();
    if (isOver) return await over;
    if (!advance()) throw new Error('The run waits for nothing that will ever happen.');
  }
}
