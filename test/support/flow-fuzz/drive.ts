// Drives a run to its end through as many processes as it takes: interrupted as planned, with questions answered and
// waits waited for. A process that resumes gets the snapshot as text, as it is stored.
import type { CompiledFlow } from '#lib/flow/engine/node-context.ts';
import type { InputRequest, ReceivedEvent } from '#lib/flow/engine/pause.ts';
import type { Outcome, RunOptions } from '#lib/flow/engine/run-flow.ts';
import { findAwaitedEvents, type Snapshot } from '#lib/flow/engine/snapshot.ts';
import type { LogEntry } from '#lib/flow/ports/log-entry.ts';
import type { Json } from '#lib/json/json.ts';
import type { Weather } from './faults.ts';
import { type Interruption, type ProcessRun, runProcess } from './process.ts';
import { createWorld, type World } from './world.ts';

export interface Drive {
  readonly weather: Weather;
  readonly isPatient: boolean;
  readonly interruptions: readonly Interruption[];
}

export interface Driven {
  readonly outcome: Outcome;
  readonly world: World;
  readonly used: ProcessRun['used'];
  readonly entries: readonly LogEntry[];
  readonly interrupted: number;
  readonly crashes: number;
  readonly wasCanceled: boolean;
  readonly processes: number;
}

const startedAt = Date.parse('2026-11-21T09:00:00.000Z');
const sentAt = new Date(startedAt).toISOString();
const processesMax = 200;
const input = { message: 'Hello', user_variables: {} };

export async function drive(
  flow: CompiledFlow,
  { weather, isPatient, interruptions }: Drive,
): Promise<Driven> {
  const world = createWorld(weather.salt, startedAt);
  const entries: LogEntry[] = [];
  const queue = [...interruptions];
  let snapshot: string | undefined;
  let answer: RunOptions['answer'];
  let interrupted = 0;
  let crashes = 0;
  let wasCanceled = false;
  for (let processes = 1; processes <= processesMax; processes++) {
    const began = world.timeline.now;
    const interruption = queue.shift() ?? { kind: 'none' };
    const resumed = snapshot !== undefined && resume(JSON.parse(snapshot), answer);
    const done = await runProcess(
      flow,
      { world, weather, interruption, isPatient },
      { input, startedAt, ...resumed },
    );
    entries.push(...done.entries);
    if (!done.outcome || done.outcome.status === 'yielded' || done.wasCanceled) interrupted++;
    const { outcome, stored, used } = done;
    wasCanceled ||= done.wasCanceled;
    if (!outcome) {
      crashes++;
      // The next process repeats what was not stored. Its clock is that of the snapshot, as if no time was lost.
      world.timeline.now = stored?.now ?? began;
      if (stored) {
        snapshot = stored.text;
        answer = undefined;
      }
      continue;
    }
    if (!('snapshot' in outcome))
      return { outcome, world, used, entries, interrupted, crashes, wasCanceled, processes };
    snapshot = JSON.stringify(outcome.snapshot);
    answer = undefined;
    if (findSent(outcome.snapshot).length > 0) continue;
    if (outcome.status === 'waiting') sleepUntil(world, outcome.until);
    if (outcome.status === 'input_required') {
      const asked = outcome.requests.find(({ expires_at }) => expires_at === undefined);
      if (asked) answer = { id: asked.id, value: answerTo(asked) };
      else sleepUntil(world, outcome.until ?? '');
    }
  }
  throw new Error(`The run has not ended after ${processesMax} processes.`);
}

/** Events are sent as soon as the run waits for them, except those named `never`. */
const findSent = (snapshot: Snapshot): readonly ReceivedEvent[] =>
  findAwaitedEvents(snapshot)
    .filter(({ event }) => event !== 'never')
    .map(({ id, event, key }) => {
      const data = { n: key.length % 2 === 0 ? 'no integer' : key.length };
      return { id, ref: `${sentAt}/${id}`, value: { event, key, id: 'sent', data, received_at: sentAt } };
    });

function resume(snapshot: Snapshot, answer: RunOptions['answer']) {
  return { snapshot, sentEvents: findSent(snapshot), ...(answer && { answer }) };
}

function sleepUntil({ timeline }: World, until: string): void {
  const time = Date.parse(until);
  if (Number.isNaN(time)) throw new Error(`A run waits until "${until}".`);
  timeline.now = Math.max(timeline.now, time);
}

/**
 * Questions that expire are never answered, so that it does not matter when they are. The answer depends on the
 * question alone: which of several is asked first may depend on how long other agents take.
 */
function answerTo({ prompt, purpose, choices }: InputRequest): Json {
  if (purpose === 'approval')
    return prompt.length % 2 === 0 ? { approved: true } : { approved: false, reason: 'no' };
  return choices?.[0] ?? `re ${prompt}`;
}
