// The partitions of the index of due schedules. One partition takes some thousand writes a second; many schedules are due
// on the same full hour.
import { createHash } from 'node:crypto';

const shardCount = 16;

/**
 * Schedules that call the function every minute, each for its share of the shards. They work at the same time, in
 * functions of their own.
 */
export const clockCount = 4;

/** Where all schedules were before there were shards. Each leaves it with its next run. */
const unsharded = 'DUE';

const shardName = (shard: number): string => `${unsharded}#${String(shard).padStart(2, '0')}`;

/** The same for each write of a trigger, so that it is in one shard only. */
export function shardOf(orgid: string, trigger_id: string): string {
  const [first = 0] = createHash('sha256').update(`${orgid}#${trigger_id}`).digest();
  return shardName(first % shardCount);
}

const shards = Array.from({ length: shardCount }, (_, shard) => ({
  name: shardName(shard),
  clock: shard % clockCount,
}));
const all = [{ name: unsharded, clock: 0 }, ...shards];

/** The shards of a clock, or all of them. */
export const shardsOf = (clock?: number): string[] =>
  all.filter((shard) => clock === undefined || shard.clock === clock).map(({ name }) => name);
