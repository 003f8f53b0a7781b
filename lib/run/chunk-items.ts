// Bytes of a run that are too large for one item, in the runs table; they expire with the run. They are
// written under the name of their writer, so that a stale runner never overwrites those of its successor.
import { type ChunkSeries, deleteChunks, readChunks, writeChunks } from '#lib/dynamo/chunks.ts';
import { runsTable } from '#lib/dynamo/client.ts';
import type { Chunks } from './chunks.ts';
import type { StoredRun } from './stored-run.ts';

type Kind = 'SNAPCHUNK' | 'RESPONSE';

const series = (id: string, kind: Kind, writer: string): ChunkSeries => ({
  table: runsTable,
  pk: `RUN#${id}`,
  prefix: `${kind}#${writer}#`,
});

export async function writeRunChunks(
  run: Pick<StoredRun, 'run_id' | 'ttl'>,
  kind: Kind,
  writer: string,
  bytes: Uint8Array,
): Promise<Chunks> {
  const count = await writeChunks(series(run.run_id, kind, writer), bytes, { ttl: run.ttl });
  return { place: writer, count };
}

/** Undefined when one is missing. */
export const readRunChunks = async (
  id: string,
  kind: Kind,
  { place, count }: Chunks,
): Promise<Uint8Array | undefined> => await readChunks(series(id, kind, place), count);

export const deleteRunChunks = async (id: string, kind: Kind, { place, count }: Chunks): Promise<void> =>
  await deleteChunks(series(id, kind, place), count);
