// The sealed snapshot of a run: one item, or where it is too large for one, chunks that the item names. Chunks are written before the
// item that makes them count, under the name of their writer, so that a stale runner never overwrites those of its successor.
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { requireEnv } from '#lib/env.ts';
import { documents, joined, queryAll, writeBatch } from '#lib/store.ts';
import type { StoredRun } from '../stored.ts';

const TableName = () => requireEnv('RUNS_TABLE');
const partition = (id: string) => `RUN#${id}`;
const snapshotKey = (id: string) => ({ pk: partition(id), sk: 'SNAP' });
const chunkPrefix = (place: string) => `SNAPCHUNK#${place}#`;
const chunkKey = (id: string, place: string, n: number) => ({
  pk: partition(id),
  sk: `${chunkPrefix(place)}${String(n).padStart(3, '0')}`,
});

/** An item may have 400 KB. */
export const itemBytesMax = 350_000;

type Owner = Pick<StoredRun, 'run_id' | 'ttl'>;

export interface Chunks {
  readonly place: string;
  readonly count: number;
}

const snapshotItem = z.object({
  /** Of the event it was kept with: what was answered after it is not in it. */
  generation: z.number(),
  bytes: z.instanceof(Uint8Array).optional(),
  chunks: z.object({ place: z.string(), count: z.number() }).optional(),
});

export interface KeptSnapshot {
  readonly generation: number;
  readonly sealed: Uint8Array;
}

/** To be put together with the event of that generation. */
export const snapshotItemOf = (run: Owner, generation: number, content: Uint8Array | Chunks) => ({
  ...snapshotKey(run.run_id),
  generation,
  ...(content instanceof Uint8Array ? { bytes: content } : { chunks: content }),
  ttl: run.ttl,
});

export async function writeChunks(run: Owner, place: string, sealed: Uint8Array): Promise<Chunks> {
  const count = Math.ceil(sealed.length / itemBytesMax);
  const requests = Array.from({ length: count }, (_, n) => ({
    PutRequest: {
      Item: {
        ...chunkKey(run.run_id, place, n),
        bytes: sealed.subarray(n * itemBytesMax, (n + 1) * itemBytesMax),
        ttl: run.ttl,
      },
    },
  }));
  await writeBatch(TableName(), requests);
  return { place, count };
}

export async function deleteChunks(id: string, { place, count }: Chunks): Promise<void> {
  await writeBatch(
    TableName(),
    Array.from({ length: count }, (_, n) => ({ DeleteRequest: { Key: chunkKey(id, place, n) } })),
  );
}

/** Undefined when none was kept yet. */
export async function readSnapshot(id: string): Promise<KeptSnapshot | undefined> {
  const { Item } = await documents.send(
    new GetCommand({ TableName: TableName(), Key: snapshotKey(id), ConsistentRead: true }),
  );
  if (!Item) return undefined;
  const { generation, bytes, chunks } = snapshotItem.parse(Item);
  const sealed = bytes ?? (chunks && (await readChunks(id, chunks)));
  if (!sealed) throw new Error(`The snapshot of the run ${id} is not whole.`);
  return { generation, sealed };
}

async function readChunks(id: string, { place, count }: Chunks): Promise<Uint8Array | undefined> {
  const chunks = await queryAll({
    TableName: TableName(),
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': partition(id), ':prefix': chunkPrefix(place) },
    ConsistentRead: true,
  });
  return joined(chunks, count);
}
