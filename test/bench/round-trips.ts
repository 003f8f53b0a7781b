// What an event costs until its run is over, and a run of the smallest flow that is waited for: in their functions behind
// a bare HTTP server, and on the local host, which emulates API Gateway and Lambda too.
// Beside them, in turns, a bare server with sqs-consumer behind it (`subject-plain.ts`).
import * as z from 'zod';
import { type Row, toFigure } from './row.ts';
import type { Subject } from './subject.ts';

/** One program under load. */
interface Side {
  readonly subject: Subject;
}
export interface EventSide extends Side {
  readonly event: () => Promise<unknown>;
  /** Resolves when no event waits or is worked on. */
  readonly idle: () => Promise<unknown>;
}
export interface TriggerSide extends Side {
  readonly trigger: () => Promise<unknown>;
}

const repetitions = 9;
/** The goals are 1.5 times the CPU time of sqs-consumer, and 4 times that of the bare server. */
const ratioMin = { event: 0.6, trigger: 0.22 };
/** Rounds before those that count. A function has more code to compile than a bare server, and runs for hours. */
const warmUp = { events: 5, triggers: 5 };
const lanes = 16;
const eventsPerRound = 240;
const triggersPerRound = 200;

export async function eventRows(
  sides: Readonly<Record<'deployed' | 'host' | 'bare', EventSide>>,
): Promise<Row[]> {
  const inOrder = [sides.deployed, sides.host, sides.bare];
  const round = async ({ event, idle }: EventSide) => {
    await many(eventsPerRound, lanes, event);
    await idle();
  };
  const [deployed = [], host = [], bare = []] = await inTurns(
    inOrder,
    { warmUpRounds: warmUp.events, calls: eventsPerRound },
    round,
  );
  const throughput = (ours: readonly CallTime[]): Row[] => [
    {
      what: `events finished, ${lanes} sent at a time`,
      unit: '/s',
      ours: perSecond(ours),
      peer: perSecond(bare),
    },
  ];
  const perSecond = (times: readonly CallTime[]) => toFigure(times.map(({ ms }) => 1_000 / ms));
  return [
    ...toRows(
      'event, accepted to run finished, its functions; peer: sqs-consumer, one write',
      deployed,
      bare,
      ratioMin.event,
    ),
    ...throughput(deployed),
    ...toRows('event, accepted to run finished, local host; peer: sqs-consumer, one write', host, bare),
    ...throughput(host),
  ];
}

export async function waitedRows(
  sides: Readonly<Record<'deployed' | 'host' | 'bare', TriggerSide>>,
): Promise<Row[]> {
  const inOrder = [sides.deployed, sides.host, sides.bare];
  const round = ({ trigger }: TriggerSide) => many(triggersPerRound, 1, trigger);
  const [deployed = [], host = [], bare = []] = await inTurns(
    inOrder,
    { warmUpRounds: warmUp.triggers, calls: triggersPerRound },
    round,
  );
  return [
    ...toRows(
      'trigger of the smallest flow, its function; peer: bare server, one write',
      deployed,
      bare,
      ratioMin.trigger,
    ),
    ...toRows('trigger of the smallest flow, local host; peer: bare server, one write', host, bare),
  ];
}

/** The time of one call, as the average of a round. */
interface CallTime {
  readonly ms: number;
  readonly cpuMicros: number;
}

/** The times of each side. In turns, so that other work of the machine affects all sides. */
async function inTurns<S extends Side>(
  sides: readonly S[],
  { warmUpRounds, calls }: { readonly warmUpRounds: number; readonly calls: number },
  round: (side: S) => Promise<void>,
): Promise<CallTime[][]> {
  const times = sides.map((): CallTime[] => []);
  for (let n = 0; n < warmUpRounds + repetitions; n += 1) {
    for (const [index, side] of sides.entries()) {
      const time = await measured(side, calls, round);
      if (n >= warmUpRounds) times[index]?.push(time);
    }
  }
  return times;
}

async function measured<S extends Side>(
  side: S,
  calls: number,
  round: (side: S) => Promise<void>,
): Promise<CallTime> {
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

/** `ratioMin` is promised of the CPU time. */
function toRows(
  what: string,
  ours: readonly CallTime[],
  plain: readonly CallTime[],
  ratioMin?: number,
): Row[] {
  const figures = (times: readonly CallTime[], measure: keyof CallTime) =>
    toFigure(times.map((each) => each[measure]));
  return [
    { what, unit: 'ms', ours: figures(ours, 'ms'), peer: figures(plain, 'ms') },
    {
      what: 'the same, CPU',
      unit: 'µs',
      ours: figures(ours, 'cpuMicros'),
      peer: figures(plain, 'cpuMicros'),
      ...(ratioMin !== undefined && { ratioMin }),
    },
  ];
}
