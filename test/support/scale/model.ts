// A model of one tenant in steps of a second: runs arrive at random around a rate, each takes its units from every
// resource that it uses, and what finds a resource used up is refused or waits in a queue. It has no network and no
// latency: it shows which limit is reached, when, and how much is served from then on.

/** What a run takes of a resource; a resource without a use is not limited. */
export interface Resource {
  readonly name: string;
  /** Units that become free in a second; for `isConcurrent`, units that runs in progress occupy. */
  readonly limit: number;
  readonly isConcurrent?: boolean;
  /** How many seconds of unused units can be saved up. A new tenant has none. */
  readonly burstSeconds?: number;
  /** Units of one run. */
  readonly use: number;
  /** Refused or queued there: at the door the caller gets an error, and behind it a queued event waits. */
  readonly isDoor?: boolean;
}

export interface Scenario {
  /** Runs that arrive in a second, on average. */
  readonly rate: number;
  readonly resources: readonly Resource[];
  /** How long a run occupies what is concurrent. */
  readonly runSeconds: number;
  /** Whether what is accepted waits for its turn, as events do. */
  readonly isQueued: boolean;
  readonly seconds: number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

export interface Outcome {
  /** Runs begun in a second, over the last minute. */
  readonly served: number;
  /** The part of all that arrived that was refused at once. */
  readonly refused: number;
  /** How long the next of the queue has waited at the end, in s. */
  readonly waited: number;
  /** The resource that was used up first, and in which second. */
  readonly first: { readonly name: string; readonly second: number } | undefined;
}

interface Bucket extends Resource {
  free: number;
  /** Of a concurrent resource: how many runs began in each of the last seconds. */
  readonly begun: number[];
}

export function simulate({ rate, resources, runSeconds, isQueued, seconds, random }: Scenario): Outcome {
  const buckets: Bucket[] = resources.map((each) => ({ ...each, free: 0, begun: [] }));
  const doors = buckets.filter(({ isDoor }) => isDoor);
  const inside = buckets.filter(({ isDoor }) => !isDoor);
  const queue = createQueue();
  let first: Outcome['first'];
  let [arrived, refused, servedAtEnd] = [0, 0, 0];
  const take = (from: readonly Bucket[], wanted: number, second: number): number => {
    const tightest = from.toSorted((a, b) => fitting(a) - fitting(b))[0];
    const taken = Math.min(wanted, tightest ? fitting(tightest) : wanted);
    if (tightest && taken < wanted) first ??= { name: tightest.name, second };
    for (const bucket of from) use(bucket, taken);
    return taken;
  };
  for (let second = 1; second <= seconds; second++) {
    for (const bucket of buckets) refill(bucket, runSeconds);
    const coming = poisson(rate, random);
    arrived += coming;
    const admitted = take(isQueued ? doors : buckets, coming, second);
    refused += coming - admitted;
    if (isQueued) queue.add(admitted, second);
    const served = isQueued ? queue.remove(take(inside, queue.length(), second)) : admitted;
    if (second > seconds - averagedSeconds) servedAtEnd += served;
  }
  return {
    served: servedAtEnd / averagedSeconds,
    refused: arrived === 0 ? 0 : refused / arrived,
    waited: queue.waited(seconds),
    first,
  };
}

const averagedSeconds = 60;

const fitting = ({ free, use: units }: Bucket) => Math.floor(free / units + 1e-9);

function use(bucket: Bucket, runs: number): void {
  bucket.free -= runs * bucket.use;
  if (bucket.isConcurrent) bucket.begun.push(runs);
}

/** Runs that began `runSeconds` ago have ended. */
function refill(bucket: Bucket, runSeconds: number): void {
  const { limit, burstSeconds = 1, isConcurrent, begun } = bucket;
  if (!isConcurrent) bucket.free = Math.min(bucket.free + limit, limit * burstSeconds);
  else if (begun.length === 0) bucket.free = limit;
  else if (begun.length >= runSeconds) bucket.free += (begun.shift() ?? 0) * bucket.use;
}

/** Arrivals in order, as counts of a second. */
function createQueue() {
  const waiting: { readonly second: number; count: number }[] = [];
  let length = 0;
  return {
    length: () => length,
    add: (count: number, second: number) => {
      if (count > 0) waiting.push({ second, count });
      length += count;
    },
    remove: (count: number): number => {
      let left = count;
      for (let [next] = waiting; next && left > 0; [next] = waiting) {
        const taken = Math.min(next.count, left);
        next.count -= taken;
        left -= taken;
        if (next.count === 0) waiting.shift();
      }
      length -= count - left;
      return count - left;
    },
    waited: (second: number): number => (waiting[0] ? second - waiting[0].second : 0),
  };
}

/** By Knuth for few, else by the normal distribution. */
function poisson(mean: number, random: () => number): number {
  if (mean > 50) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)));
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count++;
  return count;
}

/** Box and Muller. */
const normal = (random: () => number) =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
