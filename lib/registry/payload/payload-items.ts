// The sealed flow of a row, cut into chunks below DynamoDB's 400 KB per item. Chunks are written before the row that names
// them, so nobody sees half a payload; those of a payload that never became visible are removed by whoever gave up.

import { joined, queryAll, writeBatch } from '#lib/dynamo/client.ts';
import { requireEnv } from '#lib/env.ts';
import { chunkKey, chunkPrefix, rowKey } from '../keys.ts';

const TableName = () => requireEnv('CONTROL_TABLE');
const chunkBytesMax = 350_000;

/** Returns the number of chunks. */
export async function writeChunks(id: string, payloadId: string, sealed: Uint8Array): Promise<number> {
  const count = Math.ceil(sealed.length / chunkBytesMax);
  await writeBatch(
    TableName(),
    Array.from({ length: count }, (_, n) => ({
      PutRequest: {
        Item: {
          ...chunkKey(id, payloadId, n),
          bytes: sealed.subarray(n * chunkBytesMax, (n + 1) * chunkBytesMax),
        },
      },
    })),
  );
  return count;
}

/** All bytes of a payload, or undefined when a chunk is missing. */
export async function readChunks(
  id: string,
  payloadId: string,
  count: number,
): Promise<Uint8Array | undefined> {
  const chunks = await queryAll({
    TableName: TableName(),
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': rowKey(id).pk, ':prefix': chunkPrefix(payloadId) },
    ConsistentRead: true,
  });
  return joined(chunks, count);
}

export async function deleteChunks(id: string, payloadId: string, count: number): Promise<void> {
  await writeBatch(
    TableName(),
    Array.from({ length: count }, (_, n) => ({ DeleteRequest: { Key: chunkKey(id, payloadId, n) } })),
  );
}
