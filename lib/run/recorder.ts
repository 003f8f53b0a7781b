// Writes what a run does to the runs table while it goes on: log entries and replies gathered into events, one write at a time.

import type { Ending as FlowEnding, TextPiece } from '#lib/flow/engine/output.ts';
import type { InputRequest } from '#lib/flow/engine/pause.ts';
import type { LogEntry } from '#lib/flow/ports/log-entry.ts';
import { jsonBytes } from '#lib/json/size.ts';
import { createPending } from './event-buffer.ts';
import { insideOf, keepResponse } from './large-response.ts';
import { renewAfterMs } from './lease-times.ts';
import type { RunNeeds } from './needs.ts';
import { lastWords, type Said } from './output.ts';
import { appendEvent, type HeaderChange, readRun, renewLease } from './run-items.ts';
import { createSnapshotKeeper } from './snapshot-keeper.ts';
import { isFinal, type StoredEvent, type StoredRun } from './stored-run.ts';
import type { Usage } from './usage.ts';

/** How a run ends. */
export type Ending =
  | ({ readonly status: 'completed' } & FlowEnding)
  | { readonly status: 'failed'; readonly error: string };

/** How it stands still. */
export interface Rest {
  readonly status: 'working' | 'input_required' | 'auth_required';
  readonly requests?: readonly InputRequest[];
  readonly needs?: RunNeeds;
  /** What finds it by what it needs. */
  readonly waiting?: object | undefined;
  readonly header: HeaderChange;
}

export interface Recorder {
  readonly log: (entry: LogEntry) => void;
  readonly reply: (reply: Said) => void;
  /** A piece of a model's answer. Written with the next tick, not at once. */
  readonly text: (piece: TextPiece) => void;
  readonly use: (usage: Usage) => void;
  /** Writes all that is pending, and the snapshot with it. False when the run is no longer ours. */
  readonly save: (snapshot?: Uint8Array) => Promise<boolean>;
  /** Writes that the run stands still, with the snapshot to go on from if it has begun, and gives the lease away. False when the run is no longer ours. */
  readonly rest: (rest: Rest, snapshot?: Uint8Array) => Promise<boolean>;
  /** Writes the last event. False when the run is no longer ours. */
  readonly finish: (ending: Ending) => Promise<boolean>;
  /** Writes that the run has failed, and nothing else, in place of what the table refuses for good. False when the run is no longer ours. */
  readonly giveUp: (error: string) => Promise<boolean>;
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

type News = Pick<StoredEvent, 'status' | 'response' | 'as' | 'error' | 'requests' | 'needs'>;
const working: News = { status: 'working' };
const tickMs = 1_000;

export function createRecorder(options: RecorderOptions): Recorder {
  const pending = createPending();
  const writer = createWriter(options);
  const append = (news: News, more: More = {}) =>
    writer.append(() => ({ ...pending.drain(), ...news }), more);
  /** Asked for several times at once, the first write takes all, and the others have nothing to do. */
  const appendPending = () =>
    writer.append(() => (pending.isEmpty() ? undefined : { ...pending.drain(), ...working }), {});

  /** A run that has nothing to write still learns within a tick that it was canceled, and keeps its lease. */
  const tick = setInterval(() => {
    const goesOn = pending.isEmpty() ? writer.look() : appendPending();
    goesOn.then((yes) => yes || writer.lose()).catch(() => undefined);
  }, tickMs);

  /** What does not fit into the event goes before it, so that nothing said is younger than a snapshot or the end. */
  const appendAll = async (news: News, more?: More) => {
    while (!pending.isEmpty() && !pending.fitsOneEvent(jsonBytes(insideOf(news))))
      if (!(await append(working))) return false;
    return await append(news, more);
  };

  const last = async (news: News, more?: More) => {
    clearInterval(tick);
    return await appendAll(news, more);
  };

  return {
    log: pending.log,
    reply: pending.reply,
    text: pending.text,
    use: pending.use,
    save: (snapshot) =>
      snapshot ? appendAll(working, { snapshot, header: { claims: 0 } }) : appendPending(),
    rest: ({ status, requests, needs, waiting, header }, snapshot) =>
      last(
        {
          status,
          ...(requests && { requests: JSON.stringify(requests) }),
          ...(needs && { needs: JSON.stringify(needs) }),
        },
        { ...(snapshot && { snapshot }), waiting, header: { ...header, claims: 0, lease_until: 0 } },
      ),
    finish: (ending) => {
      if (ending.status === 'failed') return last(ending);
      const { response, as, artifacts = [] } = ending;
      for (const said of lastWords(artifacts)) pending.reply(said);
      const news = { status: ending.status, response: JSON.stringify(response) };
      return last({ ...news, ...(as !== undefined && as !== 'task' && { as }) });
    },
    giveUp: (error) => {
      clearInterval(tick);
      return writer.instead({ status: 'failed', error });
    },
    lost: writer.lost,
    close: () => clearInterval(tick),
  };
}

type Content = Omit<StoredEvent, 'generation' | 'at'>;
interface More {
  readonly snapshot?: Uint8Array;
  readonly waiting?: object | undefined;
  readonly header?: HeaderChange;
}
/** One write, ready to be sent again as it is. */
interface Write extends More {
  readonly event: StoredEvent;
}

/** One write after the other; after one that fails its condition, none is tried. */
function createWriter({ run, lease, leaseMs, onEvent }: RecorderOptions) {
  const lost = new AbortController();
  const snapshots = createSnapshotKeeper(run, lease);
  let generation = run.generation;
  let renewedAt = performance.now();
  /** A write that failed without an answer: it may be stored or not, so it goes first when writing is tried again. */
  let unsure: Write | undefined;
  const inTurn = oneByOne();

  const store = async (write: Write): Promise<boolean> => {
    unsure = write;
    const { event, ...beside } = write;
    const holder = { holder: lease, until: Date.now() + leaseMs };
    const snapshot = write.snapshot && (await snapshots.itemOf(event.generation, write.snapshot));
    const item = await keepResponse(run, lease, event);
    const isStored =
      (await appendEvent({ ...beside, run, event: item, lease: holder, snapshot })) ||
      (await wasStored(run.run_id, lease, event));
    unsure = undefined;
    if (!isStored) {
      lost.abort();
      return false;
    }
    generation = event.generation;
    renewedAt = performance.now();
    onEvent?.(event);
    if (snapshot) await snapshots.dropFormer();
    return true;
  };

  const write = async (content: () => Content | undefined, more: More) => {
    if (unsure && !(await store(unsure))) return false;
    const given = content();
    if (!given) return true;
    const event = { generation: generation + 1, at: new Date().toISOString(), ...given };
    return await store({ event, ...more });
  };

  return {
    lost: lost.signal,
    lose: () => lost.abort(),
    /** Whether the run is still ours, when there is nothing to write. */
    look: async (): Promise<boolean> => {
      const isFresh = performance.now() - renewedAt < renewAfterMs;
      // An inline run has its lease from the start for as long as it may last.
      if (isFresh || run.mode === 'inline') return await stillRuns(run.run_id, lease);
      const isOurs = await renewLease(run.run_id, lease, Date.now() + leaseMs);
      renewedAt = performance.now();
      return isOurs;
    },
    /** Of what there is when its turn comes; without content nothing is written. */
    append: (content: () => Content | undefined, more: More) => inTurn(() => write(content, more)),
    /** In place of a write that failed, which the table surely does not have. */
    instead: (content: Content) =>
      inTurn(async () => {
        unsure = undefined;
        return await write(() => content, {});
      }),
  };
}

/** What one act fails with is not the next one's failure; after one that says false, none is begun. */
function oneByOne(): (act: () => Promise<boolean>) => Promise<boolean> {
  let last: Promise<boolean> = Promise.resolve(true);
  return (act) => {
    last = last.catch(() => true).then(async (goesOn) => goesOn && (await act()));
    return last;
  };
}

/** A write whose answer was lost fails its condition when it is repeated: then the header tells that it had succeeded. */
async function wasStored(id: string, lease: string, event: StoredEvent): Promise<boolean> {
  const now = await readRun(id);
  const isOurs = now?.lease === lease && now.updated_at === event.at;
  return isOurs && now.generation === event.generation && now.status === event.status;
}

async function stillRuns(id: string, lease: string): Promise<boolean> {
  const run = await readRun(id);
  return run !== undefined && !isFinal(run.status) && run.lease === lease;
}
