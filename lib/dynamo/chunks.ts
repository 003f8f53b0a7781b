// Bytes that are too large for one item (400 KB), in several. They are written before the item that names
// them, so nobody reads half of them, and under a name of their writer's own, so that no two writers
// overwrite each other. What no item names is never read.
import { batchDelete, batchPut } from './batch.ts';
import type { Table } from './client.ts';
import type { Key } from './items.ts';
import { queryAll } from './query.ts';

/**
 * The items that hold one value: a partition, and a prefix of sort keys that are followed by the number of
 * the chunk.
 */
export interface ChunkSeries {
  readonly table: Table;
  readonly pk: string;
  readonly prefix: string;
}

const chunkBytesMax = 350_000;

/** Returns the number of chunks. `attributes` are those that each item has beside its bytes. */
export async function writeChunks(
  series: ChunkSeries,
  bytes: Uint8Array,
  attributes: { readonly ttl?: number } = {},
): Promise<number> {
  const keys = chunkKeys(series, Math.ceil(bytes.length / chunkBytesMax));
  const items = keys.map((key, n) => ({
    ...key,
    bytes: bytes.subarray(n * chunkBytesMax, (n + 1) * chunkBytesMax),
    ...attributes,
  }));
  await batchPut(series.table, items);
  return keys.length;
}

/** Undefined when a chunk is missing. */
export async function readChunks(
  { table, pk, prefix }: ChunkSeries,
  count: number,
): Promise<Uint8Array | undefined> {
  const items = await queryAll(table, {
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
    ConsistentRead: true,
  });
  const chunks = items.flatMap(({ bytes }) => (bytes instanceof Uint8Array ? [bytes] : []));
  return chunks.length === count ? Buffer.concat(chunks) : undefined;
}

export const deleteChunks = async (series: ChunkSeries, count: number): Promise<void> =>
  await batchDelete(series.table, chunkKeys(series, count));

const chunkKeys = ({ pk, prefix }: ChunkSeries, count: number): Key[] =>
  Array.from({ length: count }, (_, n) => ({ pk, sk: `${prefix}${String(n).padStart(3, '0')}` }));
