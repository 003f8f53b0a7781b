// The snapshot of a run: encrypted, stored in one item or in chunks, and read when another process resumes the run. The encryption context
// names the run, so that a snapshot does not decrypt in another.
import { requireEnv } from '#lib/env.ts';
import { createEncryptor, decrypt, type EncryptionContext } from '#lib/envelope.ts';
import type { Answer } from '#lib/flow/engine/answer.ts';
import type { Snapshot } from '#lib/flow/engine/snapshot.ts';
import { deleteRunChunks, writeRunChunks } from './chunk-items.ts';
import { type Chunks, itemBytesMax } from './chunks.ts';
import { plainOf, withAnswers } from './encrypted-run.ts';
import { givenAnswer } from './pause.ts';
import { readEvents } from './run-items.ts';
import { readSnapshot, snapshotItemOf } from './snapshot-items.ts';
import type { StoredRun } from './stored-run.ts';

/** A snapshot that takes many items is many writes: the run stores one now and then, and repeats a few more nodes after a crash. */
const largeSnapshotEveryMs = 60_000;

export type SnapshotKeeper = ReturnType<typeof createSnapshotKeeper>;

/** Stores the snapshots of one runner. One that does not fit one item is stored in chunks, which its successor replaces. */
export function createSnapshotKeeper(run: StoredRun, lease: string) {
  const encryptText = createEncryptor(encryptionContext(run));
  let current: Chunks | undefined;
  let former: Chunks | undefined;
  let largeAt = Number.NEGATIVE_INFINITY;
  return {
    encrypt: async (snapshot: Snapshot): Promise<Uint8Array> => await encryptText(JSON.stringify(snapshot)),
    /** Whether the snapshot after a node is to be stored. */
    isDue: (encrypted: Uint8Array): boolean => {
      if (encrypted.length <= itemBytesMax) return true;
      if (performance.now() - largeAt < largeSnapshotEveryMs) return false;
      largeAt = performance.now();
      return true;
    },
    /** The item to put with the event. Its chunks, if there are any, are stored already. */
    itemOf: async (generation: number, encrypted: Uint8Array): Promise<object> => {
      if (encrypted.length <= itemBytesMax) {
        former = current;
        current = undefined;
        return snapshotItemOf(run, generation, encrypted);
      }
      const chunks = await writeRunChunks(run, 'SNAPCHUNK', `${generation}.${lease}`, encrypted);
      if (current?.place !== chunks.place) former = current;
      current = chunks;
      return snapshotItemOf(run, generation, chunks);
    },
    /** Call it once the item is stored: no item names the former chunks then. Chunks that cannot be deleted expire with the run. */
    dropFormer: async (): Promise<void> => {
      const chunks = former;
      former = undefined;
      if (chunks) await deleteRunChunks(run.run_id, 'SNAPCHUNK', chunks).catch(() => undefined);
    },
  };
}

interface Progress {
  readonly snapshot?: Snapshot;
  /** What was answered since the snapshot. */
  readonly answer?: Answer | undefined;
}

/** Empty for a run that has not begun, or whose worker died before the first snapshot. */
export async function readProgress(run: StoredRun): Promise<Progress> {
  if (run.generation === 0) return {};
  const kept = await readSnapshot(run.run_id);
  if (!kept) return {};
  const snapshot = JSON.parse(await decrypt(kept.sealed, encryptionContext(run))) as Snapshot;
  const since = await readEvents(run.run_id, kept.generation);
  const [answered] = await withAnswers(run, since.filter((event) => event.answer !== undefined).slice(-1));
  if (answered?.answer === undefined) return { snapshot };
  return { snapshot, answer: givenAnswer.parse(JSON.parse(plainOf(answered.answer))) };
}

const encryptionContext = (run: StoredRun): EncryptionContext => ({
  tenant: requireEnv('TENANT_ID'),
  orgid: run.orgid,
  workspaceid: run.workspaceid,
  runid: run.run_id,
  purpose: 'snapshot',
});
