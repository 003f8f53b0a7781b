// Writes records in batches: one item for as many as it takes. Records that are held are written or dropped at the end.
import { randomBytes } from 'node:crypto';
import type { Log } from '#lib/log.ts';
import { logRunError } from './end.ts';
import { batchBytesMax, putBatch } from './kept-value-items.ts';
import type { StoredRun } from './stored-run.ts';

/** JSON in bytes of all records that one process keeps of a run. */
const keptBytesMax = 4_000_000;
/** The same for records that are held, which take memory until the end. */
const heldBytesMax = 1_000_000;
/** Whoever watches a run sees the values of its nodes after this time. */
const writeAfterMs = 2_000;

export interface BatchWriter {
  /** A record that does not fit any more is dropped, and so are those after it. */
  readonly add: (record: object) => void;
  readonly isFull: () => boolean;
  /** Never rejects. */
  readonly close: (isWanted: boolean) => Promise<void>;
}

export function createBatchWriter(run: StoredRun, isHeld: boolean, log: Log): BatchWriter {
  const nextName = createNames(Date.now());
  let waiting: string[] = [];
  let bytesLeft = isHeld ? heldBytesMax : keptBytesMax;
  let isFull = false;
  let writing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  const write = () => {
    clearTimeout(timer);
    timer = undefined;
    const batches = toBatches(waiting);
    waiting = [];
    writing = writing
      .then(async () => {
        for (const json of batches) await putBatch(run, { name: nextName(), json });
      })
      .catch((error: unknown) => logRunError(log, 'values not kept', run, error));
  };

  return {
    add: (record) => {
      const json = JSON.stringify(record);
      bytesLeft -= Buffer.byteLength(json);
      isFull ||= bytesLeft < 0;
      if (isFull) return;
      waiting.push(json);
      if (!isHeld) timer ??= setTimeout(write, writeAfterMs).unref();
    },
    isFull: () => isFull,
    close: async (isWanted) => {
      clearTimeout(timer);
      if (isWanted) write();
      await writing;
    },
  };
}

/** Names that sort by time, also among the processes that execute a run one after the other. */
function createNames(startedAt: number): () => string {
  const process = `${String(startedAt).padStart(15, '0')}.${randomBytes(6).toString('base64url')}`;
  let count = 0;
  return () => {
    count += 1;
    return `${process}.${String(count).padStart(6, '0')}`;
  };
}

/** JSON lists of at most the bytes of an item. */
function toBatches(records: readonly string[]): string[] {
  const batches: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const record of records) {
    const more = Buffer.byteLength(record) + 1;
    if (bytes + more > batchBytesMax) {
      batches.push([]);
      bytes = 2;
    }
    batches.at(-1)?.push(record);
    bytes += more;
  }
  return batches.map((batch) => `[${batch.join(',')}]`);
}
