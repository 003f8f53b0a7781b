// The memory, sockets and timers of the service under load and at rest. What grows over time is a leak.
import * as z from 'zod';

const answer = z.object({ heapBytes: z.number(), resources: z.array(z.string()) });

export interface ResourceUsage {
  readonly heapMegabytes: number;
  /** How many of each kind, such as `TCPSocketWrap`. */
  readonly resources: ReadonlyMap<string, number>;
}

export async function readResourceUsage(controlUrl: string): Promise<ResourceUsage> {
  const { heapBytes, resources } = answer.parse(await (await fetch(`${controlUrl}/held`)).json());
  const counts = new Map<string, number>();
  for (const name of resources) counts.set(name, (counts.get(name) ?? 0) + 1);
  return { heapMegabytes: heapBytes / 1e6, resources: counts };
}

/**
 * Allowed growth from the median of the first third to that of the last: caches fill, and garbage remains.
 */
const heapTolerance = { part: 0.1, megabytes: 8 } as const;

export function heapGrowth(samples: readonly number[]): string[] {
  const third = Math.max(1, Math.floor(samples.length / 3));
  const [first, last] = [median(samples.slice(0, third)), median(samples.slice(-third))];
  const allowed = first + Math.max(first * heapTolerance.part, heapTolerance.megabytes);
  if (last <= allowed) return [];
  return [
    `The heap grew from ${first.toFixed(1)} MB in the first third to ${last.toFixed(1)} MB in the last.`,
  ];
}

/**
 * Pollers and pools to other processes still come and go; a connection that is lost with each request would
 * soon be more.
 */
const handlesTolerance = 20;

export function handleGrowth(before: ResourceUsage, after: ResourceUsage): string[] {
  return [...after.resources].flatMap(([kind, count]) => {
    const was = before.resources.get(kind) ?? 0;
    return count > was + handlesTolerance ? [`${kind}: ${was} after the warm-up, ${count} at the end.`] : [];
  });
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
