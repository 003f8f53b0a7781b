// Writes what a run does to the runs table while it goes on: log entries and replies gathered into events, one write at a time.
import type { LogEntry, Reply } from '#lib/flow/ports.ts';
import type { JsonObject } from '#lib/json.ts';
import { bytesOf, createPending } from './pending.ts';
import { appendEvent, readRun } from './store.ts';
import { isFinal, type StoredEvent, type StoredRun } from './stored.ts';

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

type News = Pick<StoredEvent, 'status' | 'response' | 'error'>;
const working: News = { status: 'working' };
const tickMs = 1_000;

export function createRecorder(options: RecorderOptions): Recorder {
  const pending = createPending();
  const writer = createWriter(options);
  const append = (news: News, snapshot?: Uint8Array) =>
    writer.append(() => ({ ...pending.drain(), ...news }), snapshot);

  /** A run that has nothing to write still learns within a tick that it was canceled. */
  const tick = setInterval(() => {
    const goesOn = pending.isEmpty() ? stillRuns(options.run.run_id) : append(working);
    goesOn.then((yes) => yes || writer.lose()).catch(() => undefined);
  }, tickMs);

  return {
    log: pending.log,
    reply: pending.reply,
    save: (snapshot) => append(working, snapshot),
    finish: async (ending) => {
      clearInterval(tick);
      const last =
        ending.status === 'completed' ? { ...ending, response: JSON.stringify(ending.response) } : ending;
      while (!pending.isEmpty() && !pending.fitsOneEvent(bytesOf(last)))
        if (!(await append(working))) return false;
      return await append(last);
    },
    lost: writer.lost,
    close: () => clearInterval(tick),
  };
}

/** One write after the other; after one that fails its condition, none is tried. */
function createWriter({ run, lease, leaseMs, onEvent }: RecorderOptions) {
  const lost = new AbortController();
  let generation = run.generation;
  /** An event whose write failed without an answer: it may be stored or not, so it goes first when writing is tried again. */
  let unsure: StoredEvent | undefined;
  let writing: Promise<boolean> = Promise.resolve(true);

  const store = async (event: StoredEvent, snapshot?: Uint8Array): Promise<boolean> => {
    unsure = event;
    const holder = { holder: lease, until: Date.now() + leaseMs };
    const isStored =
      (await appendEvent({ run, event, lease: holder, snapshot })) ||
      (await wasStored(run.run_id, lease, event));
    unsure = undefined;
    if (!isStored) {
      lost.abort();
      return false;
    }
    generation = event.generation;
    onEvent?.(event);
    return true;
  };

  const write = async (content: () => Omit<StoredEvent, 'generation' | 'at'>, snapshot?: Uint8Array) => {
    if (unsure && !(await store(unsure))) return false;
    return await store({ generation: generation + 1, at: new Date().toISOString(), ...content() }, snapshot);
  };

  return {
    lost: lost.signal,
    lose: () => lost.abort(),
    append: (
      content: () => Omit<StoredEvent, 'generation' | 'at'>,
      snapshot?: Uint8Array,
    ): Promise<boolean> => {
      const before = writing.catch(() => true);
      writing = before.then(async (isOurs) => isOurs && (await write(content, snapshot)));
      return writing;
    },
  };
}

/** A write whose answer was lost fails its condition when it is repeated: then the header tells that it had succeeded. */
async function wasStored(id: string, lease: string, event: StoredEvent): Promise<boolean> {
  const now = await readRun(id);
  const isOurs = now?.lease === lease && now.updated_at === event.at;
  return isOurs && now.generation === event.generation && now.status === event.status;
}

async function stillRuns(id: string): Promise<boolean> {
  const run = await readRun(id);
  return run !== undefined && !isFinal(run.status);
}
