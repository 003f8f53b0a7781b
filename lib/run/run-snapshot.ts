// The snapshot of a run: encrypted, stored in one item or, where it is too large for one, in chunks that the
// item names, and read when another process resumes the run. The encryption context names the run, so that a
// snapshot does not decrypt in another.
import * as z from 'zod';
import { type ChunkSeries, deleteChunks, readChunks, writeChunks } from '#lib/dynamo/chunks.ts';
import { runsTable } from '#lib/dynamo/client.ts';
import { getItem } from '#lib/dynamo/items.ts';
import { requireEnv } from '#lib/env.ts';
import { createEncryptor, decrypt, type EncryptionContext, encrypt } from '#lib/envelope.ts';
import { ServiceError } from '#lib/errors.ts';
import type { Answer } from '#lib/flow/engine/answer.ts';
import type { FlowInput } from '#lib/flow/engine/run-flow.ts';
import { findRemoteTasks, type Snapshot } from '#lib/flow/engine/snapshot.ts';
import { readAnswers } from './questions.ts';
import { decryptInput } from './run-encryption.ts';
import { type HeaderChange, readLastAnswer } from './run-items.ts';
import { type Chunks, chunks, type StoredRun } from './stored-run.ts';

/** DynamoDB allows 400 KB for an item. */
export const itemBytesMax = 350_000;
/**
 * A snapshot that takes many items is many writes: the run stores one now and then, and repeats a few more
 * nodes after a crash.
 */
const largeSnapshotEveryMs = 60_000;

export type SnapshotKeeper = ReturnType<typeof createSnapshotKeeper>;

/**
 * Stores the snapshots of one runner. One that does not fit one item is stored in chunks, which its successor
 * replaces.
 */
export function createSnapshotKeeper(run: StoredRun, lease: string) {
  const encryptText = createEncryptor(snapshotContext(run));
  const item = { ...snapshotKey(run.run_id), ttl: run.ttl };
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
    /**
     * The item to put with the event of that generation. Its chunks, if there are any, are stored already.
     */
    toItem: async (generation: number, encrypted: Uint8Array): Promise<object> => {
      if (encrypted.length <= itemBytesMax) {
        former = current;
        current = undefined;
        return { ...item, generation, bytes: encrypted };
      }
      const writer = `${generation}.${lease}`;
      const count = await writeChunks(chunkSeries(run.run_id, writer), encrypted, { ttl: run.ttl });
      if (current?.place !== writer) former = current;
      current = { place: writer, count };
      return { ...item, generation, chunks: current };
    },
    /**
     * Call it once the item is stored: no item names the former chunks then. Chunks that cannot be deleted
     * expire with the run.
     */
    dropFormer: async (): Promise<void> => {
      const chunks = former;
      former = undefined;
      if (chunks)
        await deleteChunks(chunkSeries(run.run_id, chunks.place), chunks.count).catch(() => undefined);
    },
  };
}

/**
 * Returns the change of the header that says whether a snapshot that is stored with it has tasks of other agents;
 * without a snapshot the run is over and has none.
 */
export function createTasksNote({ remote_tasks: before = false }: StoredRun) {
  let hasTasks = before;
  return (snapshot?: Snapshot): HeaderChange => {
    const remote_tasks = snapshot !== undefined && findRemoteTasks(snapshot).length > 0;
    if (remote_tasks === hasTasks) return {};
    hasTasks = remote_tasks;
    return { remote_tasks };
  };
}

export interface Progress {
  readonly input: FlowInput;
  readonly snapshot?: Snapshot;
  /** The answer that was recorded after the snapshot. */
  readonly answer?: Answer;
}

/**
 * A run that has not begun, or whose worker died before the first snapshot, has its input only; a fork also has the
 * snapshot with which it begins.
 */
export async function readProgress(run: StoredRun): Promise<Progress> {
  const input = await readInput(run);
  const stored = run.generation === 0 ? undefined : await readSnapshot(run.run_id);
  if (!stored) return { input, ...(run.fork && { snapshot: await readFirstSnapshot(run, run.fork) }) };
  const snapshot = JSON.parse(await decrypt(stored.encrypted, snapshotContext(run))) as Snapshot;
  const answered = await readLastAnswer(run, stored.generation);
  const [last] = answered ? readAnswers([answered]) : [];
  if (!last?.answer) return { input, snapshot };
  const { answer, message } = last;
  return { input, snapshot, answer: { ...answer, ...(message && { message }) } };
}

async function readInput(run: StoredRun): Promise<FlowInput> {
  const input = await decryptInput(run);
  if (input !== undefined) return JSON.parse(input) as FlowInput;
  throw new ServiceError('internal', { cause: `The run ${run.run_id} was stored without its input.` });
}

export const snapshotItem = /* @__PURE__ */ z.lazy(() =>
  z.object({
    /** The generation of the event that it was stored with; later answers are not in it. */
    generation: z.number(),
    bytes: z.instanceof(Uint8Array).optional(),
    chunks: chunks.optional(),
  }),
);

interface EncryptedSnapshot {
  readonly generation: number;
  readonly encrypted: Uint8Array;
}

/** Undefined when no snapshot was stored yet. */
export async function readSnapshot(id: string): Promise<EncryptedSnapshot | undefined> {
  const item = await getItem(runsTable, snapshotKey(id));
  if (!item) return undefined;
  const { generation, bytes, chunks } = snapshotItem.parse(item);
  const encrypted = bytes ?? (chunks && (await readChunks(chunkSeries(id, chunks.place), chunks.count)));
  if (!encrypted) throw new Error(`Chunks of the snapshot of the run ${id} are missing.`);
  return { generation, encrypted };
}

/** Returns the number of chunks, which the header of the fork names. It is kept as long as the fork, which may be forked. */
export async function storeFirstSnapshot(
  run: SnapshotOwner & Pick<StoredRun, 'ttl'>,
  snapshot: Snapshot,
): Promise<number> {
  const encrypted = await encrypt(JSON.stringify(snapshot), snapshotContext(run));
  return await writeChunks(firstChunks(run), encrypted, { ttl: run.ttl });
}

export async function readFirstSnapshot(
  run: SnapshotOwner,
  { chunks }: NonNullable<StoredRun['fork']>,
): Promise<Snapshot> {
  const encrypted = await readChunks(firstChunks(run), chunks);
  if (!encrypted) throw new Error(`Chunks of the first snapshot of the run ${run.run_id} are missing.`);
  return JSON.parse(await decrypt(encrypted, snapshotContext(run))) as Snapshot;
}

type SnapshotOwner = Pick<StoredRun, 'run_id' | 'orgid' | 'workspaceid'>;

const firstChunks = ({ run_id }: SnapshotOwner): ChunkSeries => ({
  table: runsTable,
  pk: `RUN#${run_id}`,
  prefix: 'SNAPFIRST#',
});

const snapshotKey = (id: string) => ({ pk: `RUN#${id}`, sk: 'SNAP' });

const chunkSeries = (id: string, writer: string): ChunkSeries => ({
  table: runsTable,
  pk: `RUN#${id}`,
  prefix: `SNAPCHUNK#${writer}#`,
});

export const snapshotContext = (run: SnapshotOwner): EncryptionContext => ({
  tenant: requireEnv('TENANT_ID'),
  orgid: run.orgid,
  workspaceid: run.workspaceid,
  runid: run.run_id,
  purpose: 'snapshot',
});
