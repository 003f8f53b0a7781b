// Drives a run to its end, resuming each outcome in a new engine from the stored snapshot.

import type { Flow } from '#lib/flow/definition/flow.ts';
import type { InputRequest } from '#lib/flow/engine/pause.ts';
import type { Ports } from '#lib/flow/engine/ports.ts';
import type { FlowInput, Outcome, RunOptions } from '#lib/flow/engine/run-flow.ts';
import type { Snapshot } from '#lib/flow/engine/snapshot.ts';
import type { Json } from '#lib/json/json.ts';
import { emptyInput, quiet, type Recorded, run, type Script, scripted, startedAt } from './scripted.ts';

interface Drive {
  readonly input?: FlowInput;
  /** The snapshot from which the run resumes, as it is stored. */
  readonly snapshot?: string;
  /**
   * When it resumes, in ms since 1970. Not before its snapshot was taken, otherwise what it waits for would
   * arrive in another order.
   */
  readonly now?: number;
  /** Each invocation yields after a node. */
  readonly isHasty?: boolean;
  /** What a node waits for is slept through, instead of standing still. */
  readonly isPatient?: boolean;
  /**
   * To a question of the run; the same for the same question. Default: a text with the id of the question.
   */
  readonly answerTo?: (request: InputRequest) => Json;
}

export interface Driven {
  readonly outcome: Outcome;
  readonly invocations: readonly Recorded[];
}

/** Questions are answered, waits are waited for. */
export async function driven(flow: Flow, script: Script, drive: Drive = {}): Promise<Driven> {
  const { input = emptyInput, isHasty, isPatient, answerTo = ({ id }) => `re ${id}` } = drive;
  const invocations: Recorded[] = [];
  let [text, now] = [drive.snapshot, drive.now ?? startedAt];
  let answer: RunOptions['answer'];
  for (;;) {
    const recorded: Recorded = scripted({
      ...script,
      ...(isHasty && { checkpoint: () => recorded.clock.pass(1) }),
    });
    recorded.clock.pass(Math.max(0, now - recorded.clock.now()));
    invocations.push(recorded);
    const snapshot: Snapshot | undefined = text === undefined ? undefined : JSON.parse(text);
    const outcome = await run(flow, recorded, {
      input,
      ports: isPatient ? sleeping(recorded) : breathing(recorded),
      ...(isPatient && { patienceMs: Number.POSITIVE_INFINITY }),
      ...(snapshot && { snapshot }),
      ...(answer && { answer }),
      ...(isHasty && { yieldAt: recorded.clock.monotonic() + 1 }),
    });
    answer = undefined;
    if (!('snapshot' in outcome)) return { outcome, invocations };
    text = JSON.stringify(outcome.snapshot);
    now = recorded.clock.now();
    if (outcome.status === 'waiting') now = Math.max(now, Date.parse(outcome.until));
    const question = outcome.status === 'input_required' ? outcome.requests[0] : undefined;
    if (question) answer = { id: question.id, value: answerTo(question) };
  }
}

/** All of a run that anybody outside it can see. */
export async function observeRun(flow: Flow, script: Script) {
  const { outcome, invocations } = await driven(flow, script);
  return {
    outcome,
    invocations: invocations.map(({ entries, snapshots, replies }) => ({ entries, snapshots, replies })),
  };
}

/**
 * A sleep of nothing, which the engine takes now and then so that timers get a turn, is over at once, whoever
 * moves the clock.
 */
export const breathing = ({ ports, clock }: Recorded): Ports => ({
  ...ports,
  clock: { ...clock, sleep: async (ms, signal) => (ms === 0 ? undefined : await clock.sleep(ms, signal)) },
});

/**
 * Sleeps below a minute are over as soon as nothing else is to be done; what is longer is a limit, which the
 * run shall not reach.
 */
const sleeping = (recorded: Recorded): Ports => {
  const { clock } = recorded;
  const ports = breathing(recorded);
  const sleep = async (ms: number, signal: AbortSignal) => {
    if (ms === 0 || ms >= 60_000) return await ports.clock.sleep(ms, signal);
    let isAsleep = true;
    const slept = clock.sleep(ms, signal).finally(() => {
      isAsleep = false;
    });
    slept.catch(() => undefined);
    while (isAsleep) {
      await quiet();
      if (isAsleep && ms === Math.min(...clock.sleeping())) clock.pass(ms);
    }
    await slept;
  };
  return { ...ports, clock: { ...clock, sleep } };
};

/** What is the same whenever the run takes place: the end of a wait is a time of the clock. */
export const timeless = (outcome: Outcome): unknown =>
  JSON.parse(JSON.stringify(outcome).replaceAll(/"until":"[^"]+"/g, '"until":""'));
