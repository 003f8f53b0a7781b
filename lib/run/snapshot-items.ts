// The sealed snapshot of a run: one item, or where it is too large for one, chunks that the item names.
import * as z from 'zod';
import { runsTable } from '#lib/dynamo/client.ts';
import { getItem } from '#lib/dynamo/items.ts';
import { readRunChunks } from './chunk-items.ts';
import { type Chunks, chunks } from './chunks.ts';
import type { StoredRun } from './stored-run.ts';

const snapshotKey = (id: string) => ({ pk: `RUN#${id}`, sk: 'SNAP' });

const snapshotItem = z.object({
  /** The generation of the event that it was stored with; later answers are not in it. */
  generation: z.number(),
  bytes: z.instanceof(Uint8Array).optional(),
  chunks: chunks.optional(),
});

export interface KeptSnapshot {
  readonly generation: number;
  readonly sealed: Uint8Array;
}

/** To be put together with the event of that generation. */
export const snapshotItemOf = (
  run: Pick<StoredRun, 'run_id' | 'ttl'>,
  generation: number,
  content: Uint8Array | Chunks,
) => ({
  ...snapshotKey(run.run_id),
  generation,
  ...(content instanceof Uint8Array ? { bytes: content } : { chunks: content }),
  ttl: run.ttl,
});

/** Undefined when none was kept yet. */
export async function readSnapshot(id: string): Promise<KeptSnapshot | undefined> {
  const item = await getItem(runsTable, snapshotKey(id));
  if (!item) return undefined;
  const { generation, bytes, chunks } = snapshotItem.parse(item);
  const sealed = bytes ?? (chunks && (await readRunChunks(id, 'SNAPCHUNK', chunks)));
  if (!sealed) throw new Error(`The snapshot of the run ${id} is not whole.`);
  return { generation, sealed };
}
