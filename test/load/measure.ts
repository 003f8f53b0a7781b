// What a caller waits for, as 95th percentiles of requests that are sent at a steady pace, alone and beside something else by turns.
import { setTimeout } from 'node:timers/promises';

/** Functions that send one request and resolve to the milliseconds that its caller waited, by name of the request. */
export type Asking = Readonly<Record<string, () => Promise<number>>>;

export interface Load {
  readonly what: string;
  /** Goes on until the signal, with all that it has begun. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** Resolves when nothing is left of it. */
  readonly settle: () => Promise<void>;
}

export interface Effect {
  readonly what: string;
  /** ms, the medians over the rounds. */
  readonly aloneP95: number;
  readonly besideP95: number;
  /** Of each round. */
  readonly ratios: readonly number[];
  /** Their median. */
  readonly ratio: number;
}

const rounds = 5;
const phaseMs = 6_000;
/** From one request to the next of its kind; one key may send 500 requests in ten seconds. */
const paceMs = 75;

/** Whatever else the machine does, it does to both sides of a round. */
export async function measureEffect(load: Load, asking: Asking): Promise<Effect[]> {
  const [alone, beside] = [newSamples(asking), newSamples(asking)];
  for (let round = 0; round < rounds; round += 1) {
    await askFor(phaseMs, asking, alone[round] ?? []);
    const over = new AbortController();
    const running = load.run(over.signal);
    await askFor(phaseMs, asking, beside[round] ?? []);
    over.abort();
    await running;
    await load.settle();
  }
  return Object.keys(asking).map((name, n) => {
    const p95s = (samples: Samples) => samples.map((round) => p95(round[n] ?? []));
    const [aloneP95s, besideP95s] = [p95s(alone), p95s(beside)];
    const ratios = besideP95s.map((ms, round) => ms / (aloneP95s[round] ?? ms));
    const what = `${name}, beside ${load.what}`;
    return {
      what,
      aloneP95: median(aloneP95s),
      besideP95: median(besideP95s),
      ratios,
      ratio: median(ratios),
    };
  });
}

/** By round and asking, in ms. */
type Samples = number[][][];
const newSamples = (asking: Asking): Samples =>
  Array.from({ length: rounds }, () => Object.keys(asking).map(() => []));

async function askFor(ms: number, asking: Asking, samples: readonly number[][]): Promise<void> {
  const until = performance.now() + ms;
  const lanes = Object.values(asking).map(async (ask, n) => {
    while (performance.now() < until) {
      const next = performance.now() + paceMs;
      samples[n]?.push(await ask());
      await setTimeout(Math.max(0, next - performance.now()));
    }
  });
  await Promise.all(lanes);
}

const p95 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? 0;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
