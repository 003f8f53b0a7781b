// The flow of a row: encrypted, in chunks. The encryption context names the very row and payload, so bytes
// that were moved elsewhere cannot be decrypted. Chunks of a payload that no row names are deleted by the
// change that gave up.
import { type ChunkSeries, deleteChunks, readChunks, writeChunks } from '#lib/dynamo/chunks.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import { requireEnv } from '#lib/env.ts';
import { decrypt, type EncryptionContext, encrypt } from '#lib/envelope.ts';
import { ServiceError } from '#lib/errors.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { readRow, rowKey } from './row/row-items.ts';
import type { StoredRow } from './row/stored-row.ts';

type PayloadKey = Pick<StoredRow, 'orgid' | 'workspaceid' | 'a2aregistryid' | 'payload_id'>;
type Payload = Pick<StoredRow, 'a2aregistryid' | 'payload_id' | 'payload_chunks'>;

/** Two AWS calls. Returns the number of chunks. */
export async function storeFlow(key: PayloadKey, flow: JsonObject): Promise<number> {
  return await writeChunks(payloadSeries(key), await encrypt(JSON.stringify(flow), flowContext(key)));
}

/**
 * Two AWS calls. When the chunks are gone because the row was replaced in between, the row as it is now is
 * read.
 */
export async function openFlow(row: StoredRow): Promise<JsonObject> {
  const encrypted = await readFlowBytes(row);
  if (encrypted) return parseFlow(await decrypt(encrypted, flowContext(row)));
  const now = await readRow(row.a2aregistryid);
  if (!now) throw new ServiceError('row_not_found');
  if (now.payload_id === row.payload_id)
    throw new ServiceError('payload_unreadable', { cause: 'A chunk is missing.' });
  return await openFlow(now);
}

/** Undefined when a chunk is missing. */
export const readFlowBytes = async (row: Payload): Promise<Uint8Array | undefined> =>
  await readChunks(payloadSeries(row), row.payload_chunks);

export const deleteFlow = async (row: Payload): Promise<void> =>
  await deleteChunks(payloadSeries(row), row.payload_chunks);

const payloadSeries = ({ a2aregistryid, payload_id }: Omit<Payload, 'payload_chunks'>): ChunkSeries => ({
  table: controlTable,
  pk: rowKey(a2aregistryid).pk,
  prefix: `PAYLOAD#${payload_id}#`,
});

export const flowContext = (key: PayloadKey): EncryptionContext => ({
  tenant: requireEnv('TENANT_ID'),
  orgid: key.orgid,
  workspaceid: key.workspaceid,
  registryid: key.a2aregistryid,
  version: key.payload_id,
  purpose: 'flow',
});

function parseFlow(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ServiceError('payload_unreadable', { cause: 'The payload is not a JSON object.' });
  }
  return value as JsonObject;
}
