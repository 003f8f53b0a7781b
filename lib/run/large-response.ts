// Where the response of a run is kept: in its last event, or where it is too large for that, in chunks that the event names.
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { ServiceError } from '#lib/errors.ts';
import { readRunChunks, writeRunChunks } from './chunk-items.ts';
import type { EventItem, StoredEvent, StoredRun } from './stored-run.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Leaves room for the log and the replies of the last moment. */
const insideBytesMax = 250_000;

const isLarge = (response: string) => Buffer.byteLength(response) > insideBytesMax;

/** Without a response that is kept elsewhere. */
export function insideOf<E extends Pick<StoredEvent, 'response'>>(event: E): E | Omit<E, 'response'> {
  if (event.response === undefined || !isLarge(event.response)) return event;
  const { response: _elsewhere, ...inside } = event;
  return inside;
}

/** What is to be stored of an event; chunks, if there are any, are stored already. */
export async function keepResponse(
  run: Pick<StoredRun, 'run_id' | 'ttl'>,
  lease: string,
  event: StoredEvent,
): Promise<EventItem> {
  const { response, ...inside } = event;
  if (response === undefined || !isLarge(response)) return event;
  const bytes = await compress(response);
  return {
    ...inside,
    response_chunks: await writeRunChunks(run, 'RESPONSE', `${event.generation}.${lease}`, bytes),
  };
}

/** Of a run that is expiring, parts may be gone before the whole. */
export async function withResponse(
  id: string,
  { response_chunks, ...event }: EventItem,
): Promise<StoredEvent> {
  if (!response_chunks) return event;
  const bytes = await readRunChunks(id, 'RESPONSE', response_chunks);
  if (!bytes) throw new ServiceError('run_not_found', { detail: 'The run has expired.' });
  return { ...event, response: (await decompress(bytes)).toString('utf8') };
}
