// The flow of a row, sealed and opened. The encryption context names the very row and payload, so bytes moved to another place do not open.
import { requireEnv } from '#lib/env.ts';
import { type EncryptionContext, open, seal } from '#lib/envelope.ts';
import { ServiceError } from '#lib/errors.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { readRow } from '../row-items.ts';
import type { StoredRow } from '../stored-row.ts';
import { readChunks, writeChunks } from './payload-items.ts';

type Place = Pick<StoredRow, 'orgid' | 'workspaceid' | 'a2aregistryid' | 'payload_id'>;

/** Two AWS calls. Returns the number of chunks. */
export async function storeFlow(place: Place, flow: JsonObject): Promise<number> {
  const sealed = await seal(JSON.stringify(flow), contextOf(place));
  return await writeChunks(place.a2aregistryid, place.payload_id, sealed);
}

/** Two AWS calls. When the chunks are gone because the row moved on in between, the row as it is now decides. */
export async function openFlow(row: StoredRow): Promise<JsonObject> {
  const sealed = await readChunks(row.a2aregistryid, row.payload_id, row.payload_chunks);
  if (sealed) return parse(await open(sealed, contextOf(row)));
  const now = await readRow(row.a2aregistryid);
  if (!now) throw new ServiceError('row_not_found');
  if (now.payload_id === row.payload_id)
    throw new ServiceError('payload_unreadable', { cause: 'A chunk is missing.' });
  return await openFlow(now);
}

function contextOf(place: Place): EncryptionContext {
  return {
    tenant: requireEnv('TENANT_ID'),
    orgid: place.orgid,
    workspaceid: place.workspaceid,
    registryid: place.a2aregistryid,
    version: place.payload_id,
    purpose: 'flow',
  };
}

function parse(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ServiceError('payload_unreadable', { cause: 'The payload is not a JSON object.' });
  }
  return value as JsonObject;
}
