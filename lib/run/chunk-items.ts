// Bytes of a run that are too large for one item, in several. They are written before the item that names them, under the name of their
// writer, so that a stale runner never overwrites those of its successor, and what nobody names is never read; it expires with the run.

import { joined, queryAll, writeBatch } from '#lib/dynamo/client.ts';
import { requireEnv } from '#lib/env.ts';
import { type Chunks, itemBytesMax } from './chunks.ts';
import type { StoredRun } from './stored-run.ts';

/** What the bytes are of. */
type Kind = 'SNAPCHUNK' | 'RESPONSE';

const prefixOf = (kind: Kind, place: string) => `${kind}#${place}#`;
const keyOf = (id: string, prefix: string, n: number) => ({
  pk: `RUN#${id}`,
  sk: `${prefix}${String(n).padStart(3, '0')}`,
});

/** `place` names the writer. */
export async function writeChunks(
  run: Pick<StoredRun, 'run_id' | 'ttl'>,
  kind: Kind,
  place: string,
  bytes: Uint8Array,
): Promise<Chunks> {
  const count = Math.ceil(bytes.length / itemBytesMax);
  const requests = Array.from({ length: count }, (_, n) => ({
    PutRequest: {
      Item: {
        ...keyOf(run.run_id, prefixOf(kind, place), n),
        bytes: bytes.subarray(n * itemBytesMax, (n + 1) * itemBytesMax),
        ttl: run.ttl,
      },
    },
  }));
  await writeBatch(requireEnv('RUNS_TABLE'), requests);
  return { place, count };
}

/** Undefined when one is missing. */
export async function readChunks(
  id: string,
  kind: Kind,
  { place, count }: Chunks,
): Promise<Uint8Array | undefined> {
  const found = await queryAll({
    TableName: requireEnv('RUNS_TABLE'),
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': `RUN#${id}`, ':prefix': prefixOf(kind, place) },
    ConsistentRead: true,
  });
  return joined(found, count);
}

export async function deleteChunks(id: string, kind: Kind, { place, count }: Chunks): Promise<void> {
  await writeBatch(
    requireEnv('RUNS_TABLE'),
    Array.from({ length: count }, (_, n) => ({
      DeleteRequest: { Key: keyOf(id, prefixOf(kind, place), n) },
    })),
  );
}
