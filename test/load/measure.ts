// Measures the 95th percentile of the waiting time of requests that are sent at a steady rate, alternately
// without and with other load.
import { setTimeout } from 'node:timers/promises';

/**
 * By name of the request, functions that send it and resolve to the waiting time of the caller in
 * milliseconds.
 */
export type TimedRequests = Readonly<Record<string, () => Promise<number>>>;

export interface Load {
  readonly what: string;
  /** Runs until the signal, and completes what it has begun. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** Resolves when all of its work has ended. */
  readonly settle: () => Promise<void>;
}

export interface Effect {
  readonly what: string;
  /** ms, the medians over the rounds. */
  readonly aloneP95: number;
  readonly besideP95: number;
  /** The ratio of each round. */
  readonly ratios: readonly number[];
  /** The median of the ratios. */
  readonly ratio: number;
}

const rounds = 5;
const phaseMs = 6_000;
/**
 * The time between requests of one kind. A background run takes four, however fast the service is, and a key may send 500
 * in ten seconds.
 */
const paceMs = 100;

/** Both sides of a round are measured in turn, so that other work of the machine affects both. */
export async function measureEffect(load: Load, requests: TimedRequests): Promise<Effect[]> {
  const [alone, beside] = [newSamples(requests), newSamples(requests)];
  for (let round = 0; round < rounds; round += 1) {
    await sendFor(phaseMs, requests, alone[round] ?? []);
    const over = new AbortController();
    const running = load.run(over.signal);
    try {
      await sendFor(phaseMs, requests, beside[round] ?? []);
    } finally {
      over.abort();
      await running;
    }
    await load.settle();
  }
  return Object.keys(requests).map((name, n) => {
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

/** By round and request, in ms. */
type Samples = number[][][];
const newSamples = (requests: TimedRequests): Samples =>
  Array.from({ length: rounds }, () => Object.keys(requests).map(() => []));

async function sendFor(ms: number, requests: TimedRequests, samples: readonly number[][]): Promise<void> {
  const until = performance.now() + ms;
  const lanes = Object.values(requests).map(async (ask, n) => {
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
