// A response that is too large for the item of its event: it is stored in chunks, which the event names.
import { type ChunkSeries, readChunks, writeChunks } from '#lib/dynamo/chunks.ts';
import { runsTable } from '#lib/dynamo/client.ts';
import { ServiceError } from '#lib/errors.ts';
import { compress, decompress } from '#lib/zstd.ts';
import { type EventItem, runKey, type StoredEvent, type StoredRun } from './stored-run.ts';

/** Leaves room in the event for the log and the replies of the last moment. */
const responseBytesMax = 250_000;

const isLarge = (response: string) => Buffer.byteLength(response) > responseBytesMax;

/** What the item of an event holds: all but a large response. */
export function withoutLargeResponse<E extends Pick<StoredEvent, 'response'>>(
  event: E,
): E | Omit<E, 'response'> {
  if (event.response === undefined || !isLarge(event.response)) return event;
  const { response: _large, ...rest } = event;
  return rest;
}

const responseSeries = (id: string, writer: string): ChunkSeries => ({
  table: runsTable,
  pk: runKey(id).pk,
  prefix: `RESPONSE#${writer}#`,
});

interface Writing {
  readonly run: Pick<StoredRun, 'run_id' | 'ttl'>;
  readonly event: StoredEvent;
  readonly lease?: { readonly holder: string };
}

/** The chunks are stored before the event that names them. */
export async function storeLargeResponse({ run, event, lease }: Writing): Promise<EventItem> {
  const { response, ...rest } = event;
  if (response === undefined || !isLarge(response)) return event;
  const writer = `${event.generation}.${lease?.holder}`;
  const bytes = await compress(response);
  const count = await writeChunks(responseSeries(run.run_id, writer), bytes, { ttl: run.ttl });
  return { ...rest, response_chunks: { place: writer, count } };
}

/** While a run expires, chunks may be gone before the event that names them. */
export async function withResponse(
  id: string,
  { response_chunks, ...event }: EventItem,
): Promise<StoredEvent> {
  if (!response_chunks) return event;
  const { place, count } = response_chunks;
  const bytes = await readChunks(responseSeries(id, place), count);
  if (!bytes) throw new ServiceError('run_not_found', { detail: 'The run has expired.' });
  return { ...event, response: (await decompress(bytes)).toString('utf8') };
}
