// Writes what a run does to the runs table while it goes on: log entries and replies gathered into events, one write at a time.
import type { LogEntry, Reply } from '#lib/flow/ports.ts';
import type { JsonObject } from '#lib/json.ts';
import { appendEvent, readRun } from './store.ts';
import type { RunStatus, StoredEvent, StoredRun } from './stored.ts';

/** How a run ends. */
export type Ending =
  | { readonly status: 'completed'; readonly response: JsonObject }
  | { readonly status: 'failed'; readonly error: string };

export interface Recorder {
  readonly log: (entry: LogEntry) => void;
  readonly reply: (reply: Reply) => void;
  /** Writes all that is pending, and the snapshot with it. False when the run is no longer ours. */
  readonly save: (snapshot?: Uint8Array) => Promise<boolean>;
  /** Writes the last event. False when the run is no longer ours. */
  readonly finish: (ending: Ending) => Promise<boolean>;
  /** Aborts when the run was canceled or another runner took over. */
  readonly lost: AbortSignal;
  /** Ends the ticking; call it always. */
  readonly close: () => void;
}

export interface RecorderOptions {
  readonly run: StoredRun;
  readonly lease: string;
  /** How long the lease is renewed for by each write, in ms. */
  readonly leaseMs: number;
  /** Sees each event once it is stored. */
  readonly onEvent?: (event: StoredEvent) => void;
}

const tickMs = 1_000;
/** An item may have 400 KB. */
const eventBytesMax = 300_000;

export function createRecorder(options: RecorderOptions): Recorder {
  const lost = new AbortController();
  const pending: { logs: LogEntry[]; replies: Reply[] } = { logs: [], replies: [] };
  let generation = options.run.generation;
  /** An event whose write failed without an answer: it may be stored or not, so it goes first when writing is tried again. */
  let unsure: StoredEvent | undefined;
  let writing: Promise<boolean> = Promise.resolve(true);

  /** Writes follow each other; after one that fails its condition, none is tried. */
  const append = (
    status: RunStatus,
    rest: Pick<StoredEvent, 'response' | 'error'> = {},
    snapshot?: Uint8Array,
  ): Promise<boolean> => {
    const before = writing.catch(() => true);
    writing = before.then(async (isOurs) => isOurs && (await write(status, rest, snapshot)));
    return writing;
  };

  const write = async (
    status: RunStatus,
    rest: Pick<StoredEvent, 'response' | 'error'>,
    snapshot?: Uint8Array,
  ) => {
    if (unsure && !(await store(unsure))) return false;
    return await store(
      { generation: generation + 1, at: new Date().toISOString(), status, ...drain(pending), ...rest },
      snapshot,
    );
  };

  const store = async (event: StoredEvent, snapshot?: Uint8Array): Promise<boolean> => {
    unsure = event;
    const lease = { holder: options.lease, until: Date.now() + options.leaseMs };
    const isStored =
      (await appendEvent({ run: options.run, event, lease, snapshot })) || (await wasStored(options, event));
    unsure = undefined;
    if (!isStored) {
      lost.abort();
      return false;
    }
    generation = event.generation;
    options.onEvent?.(event);
    return true;
  };

  const tick = setInterval(() => {
    const beat = hasEntries(pending) ? append('working') : stillRuns(options.run.run_id);
    beat.then((goesOn) => goesOn || lost.abort()).catch(() => undefined);
  }, tickMs);

  return {
    log: (entry) => pending.logs.push(entry),
    reply: (reply) => pending.replies.push(reply),
    save: (snapshot) => append('working', {}, snapshot),
    finish: async (ending) => {
      clearInterval(tick);
      while (bytesOf(pending) > eventBytesMax) if (!(await append('working'))) return false;
      return ending.status === 'completed'
        ? await append('completed', { response: JSON.stringify(ending.response) })
        : await append('failed', { error: ending.error });
    },
    lost: lost.signal,
    close: () => clearInterval(tick),
  };
}

const hasEntries = (pending: { logs: LogEntry[]; replies: Reply[] }) =>
  pending.logs.length + pending.replies.length > 0;
const bytesOf = (value: unknown) => JSON.stringify(value).length;

/** Takes as many entries as fit one event. */
function drain(pending: { logs: LogEntry[]; replies: Reply[] }): Pick<StoredEvent, 'logs' | 'replies'> {
  const logs = take(pending.logs);
  const replies = take(pending.replies);
  return { ...(logs && { logs }), ...(replies && { replies }) };
}

function take(entries: (LogEntry | Reply)[]): string | undefined {
  let bytes = 0;
  let count = 0;
  for (const entry of entries) {
    bytes += bytesOf(entry);
    if (count > 0 && bytes > eventBytesMax / 2) break;
    count += 1;
  }
  return count > 0 ? JSON.stringify(entries.splice(0, count)) : undefined;
}

/** A write whose answer was lost fails its condition when it is repeated: then the header tells that it had succeeded. */
async function wasStored(options: RecorderOptions, event: StoredEvent): Promise<boolean> {
  const now = await readRun(options.run.run_id);
  return now?.generation === event.generation && now.lease === options.lease && now.status === event.status;
}

/** A run that has nothing to write still learns within a tick that it was canceled. */
async function stillRuns(id: string): Promise<boolean> {
  const status = (await readRun(id))?.status;
  return status === 'submitted' || status === 'working';
}
