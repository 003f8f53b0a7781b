// What an event costs until its run is over, and a run of the smallest flow that is waited for: the local
// host over HTTP, beside a bare server with sqs-consumer behind it (`subject-plain.ts`), in turns.
import * as z from 'zod';
import { type Row, toFigure } from './row.ts';
import type { Subject } from './subject.ts';

/** One program under load. */
export interface Side {
  readonly subject: Subject;
  readonly event: () => Promise<unknown>;
  /** Resolves when no event waits or is worked on. */
  readonly idle: () => Promise<unknown>;
  readonly trigger: () => Promise<unknown>;
}

const repetitions = 5;
const warmUpRounds = 2;
const lanes = 16;
const eventsPerRound = 240;
const triggersPerRound = 100;

export async function roundTripRows(sides: readonly [Side, Side]): Promise<Row[]> {
  const events = await inTurns(sides, eventsPerRound, async ({ event, idle }) => {
    await many(eventsPerRound, lanes, event);
    await idle();
  });
  const triggers = await inTurns(sides, triggersPerRound, ({ trigger }) =>
    many(triggersPerRound, 1, trigger),
  );
  const [ours] = events;
  return [
    ...toRows('event, accepted to run finished; peer: sqs-consumer, one write', events),
    {
      what: `events finished, ${lanes} sent at a time`,
      unit: '/s',
      ours: toFigure(ours.map(({ ms }) => 1_000 / ms)),
    },
    ...toRows('trigger of the smallest flow; peer: bare server, one write', triggers),
  ];
}

/** The time of one call, as the average of a round. */
interface CallTime {
  readonly ms: number;
  readonly cpuMicros: number;
}
type OfBoth = readonly [CallTime[], CallTime[]];

/** In turns, so that other work of the machine affects both sides. */
async function inTurns(
  [ours, plain]: readonly [Side, Side],
  calls: number,
  round: (side: Side) => Promise<void>,
): Promise<OfBoth> {
  const times: OfBoth = [[], []];
  for (let n = 0; n < warmUpRounds + repetitions; n += 1) {
    const [first, second] = [await measured(ours, calls, round), await measured(plain, calls, round)];
    if (n < warmUpRounds) continue;
    times[0].push(first);
    times[1].push(second);
  }
  return times;
}

async function measured(side: Side, calls: number, round: (side: Side) => Promise<void>): Promise<CallTime> {
  const cpu = await readCpu(side);
  const start = performance.now();
  await round(side);
  const ms = (performance.now() - start) / calls;
  return { ms, cpuMicros: ((await readCpu(side)) - cpu) / calls };
}

const readCpu = async ({ subject }: Side) => z.number().parse(await subject.ask('cpu'));

async function many(count: number, laneCount: number, call: () => Promise<unknown>): Promise<void> {
  const lane = async () => {
    for (let n = 0; n < count / laneCount; n += 1) await call();
  };
  await Promise.all(Array.from({ length: laneCount }, lane));
}

function toRows(what: string, [ours, plain]: OfBoth): Row[] {
  const figures = (times: readonly CallTime[], measure: keyof CallTime) =>
    toFigure(times.map((each) => each[measure]));
  return [
    { what, unit: 'ms', ours: figures(ours, 'ms'), peer: figures(plain, 'ms') },
    {
      what: 'the same, CPU',
      unit: 'µs',
      ours: figures(ours, 'cpuMicros'),
      peer: figures(plain, 'cpuMicros'),
    },
  ];
}
