// The last event of a run, as the header has it: compressed, beside the attributes that it changes. The end is
// one conditional write of one item then; a transaction of the header and an item for the event would cost twice
// the units of both. An end that is too large for that has an item of its own, like the other events.
import { compress, decompress } from '#lib/zstd.ts';
import { type EventItem, eventItem, isFinal, type StoredRun } from './stored-run.ts';

/** The item has room for it beside the largest input (`limits.inputBytes`). */
const endBytesMax = 40_000;

/** Undefined for an event that has an item of its own: the run is not over, or the end is too large. */
export async function packEnd(event: EventItem): Promise<Uint8Array | undefined> {
  const { generation: _, at: _at, status, as: _as, ...content } = event;
  if (!isFinal(status) || content.answer !== undefined || content.message !== undefined) return undefined;
  const packed = await compress(JSON.stringify(content));
  return packed.length <= endBytesMax ? packed : undefined;
}

type EndedHeader = Pick<StoredRun, 'generation' | 'updated_at' | 'status' | 'as' | 'end'>;

/** Undefined where the header has no event. */
export async function unpackEnd(header: EndedHeader): Promise<EventItem | undefined> {
  const { generation, updated_at: at, status, as, end } = header;
  if (!end) return undefined;
  const content: unknown = JSON.parse((await decompress(end)).toString('utf8'));
  return eventItem.parse({ ...Object(content), generation, at, status, as });
}
