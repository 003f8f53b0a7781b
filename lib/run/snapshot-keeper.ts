// Keeps the snapshots of one runner: in one item where it fits, else in chunks whose predecessors it removes.

import { deleteRunChunks, writeRunChunks } from './chunk-items.ts';
import { type Chunks, itemBytesMax } from './chunks.ts';
import { snapshotItemOf } from './snapshot-items.ts';
import type { StoredRun } from './stored-run.ts';

export function createSnapshotKeeper(run: StoredRun, lease: string) {
  let current: Chunks | undefined;
  let former: Chunks | undefined;
  return {
    /** The item to be put with the event; its chunks, if there are any, are stored already. */
    itemOf: async (generation: number, sealed: Uint8Array): Promise<object> => {
      if (sealed.length <= itemBytesMax) {
        former = current;
        current = undefined;
        return snapshotItemOf(run, generation, sealed);
      }
      const chunks = await writeRunChunks(run, 'SNAPCHUNK', `${generation}.${lease}`, sealed);
      if (current?.place !== chunks.place) former = current;
      current = chunks;
      return snapshotItemOf(run, generation, chunks);
    },
    /** Once the item is stored nothing names the chunks before. Where they cannot be removed they expire with the run. */
    dropFormer: async (): Promise<void> => {
      const chunks = former;
      former = undefined;
      if (chunks) await deleteRunChunks(run.run_id, 'SNAPCHUNK', chunks).catch(() => undefined);
    },
  };
}
