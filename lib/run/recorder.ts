// Records a run while its flow runs. Output and log entries are buffered and written about once a second;
// each write is one transaction that renews the lease. After a write that fails its condition the run belongs
// to another process, or is over, and no more is written.
import { endArtifacts } from '#lib/flow/engine/end-artifacts.ts';
import type { Ending as FlowEnd, TextPiece } from '#lib/flow/engine/output.ts';
import type { InputRequest } from '#lib/flow/engine/pause.ts';
import type { Snapshot } from '#lib/flow/engine/snapshot.ts';
import type { LogEntry } from '#lib/flow/ports/log-entry.ts';
import { jsonBytes } from '#lib/json/size.ts';
import type { Usage } from '#lib/model/usage.ts';
import { createEventBuffer, type EventBuffer } from './event-buffer.ts';
import type { FailedEnd } from './failure.ts';
import { withoutLargeResponse } from './large-response.ts';
import { renewAfterShare } from './lease-times.ts';
import type { OutputMessage } from './output.ts';
import { wakePush } from './push-queue.ts';
import { type Append, appendEvent, type DeferredHeader, type HeaderChange, readRun } from './run-items.ts';
import { renewLease } from './run-lease.ts';
import type { RunNeeds } from './run-needs.ts';
import { createSnapshotKeeper, createTasksNote, type SnapshotKeeper } from './run-snapshot.ts';
import { isFinal, type StoredEvent, type StoredRun } from './stored-run.ts';

export type RunEnd = ({ readonly status: 'completed' } & FlowEnd) | FailedEnd;

export interface RunPause {
  readonly status: 'working' | 'input_required' | 'auth_required';
  readonly requests?: readonly InputRequest[];
  readonly needs?: RunNeeds;
  /** The items by which the run is found when a missing connection is stored, or an event is sent. */
  readonly waiting?: readonly object[] | undefined;
  readonly header: HeaderChange;
}

export interface Recorder {
  readonly log: (entry: LogEntry) => void;
  readonly reply: (message: OutputMessage) => void;
  /** A piece of a model's answer. Written with the next tick, not at once. */
  readonly text: (piece: TextPiece) => void;
  readonly use: (usage: Usage) => void;
  /** Writes everything that is buffered. False when the run is no longer ours. */
  readonly flush: () => Promise<boolean>;
  /**
   * Writes everything that is buffered with the snapshot after a node, unless it is large and a large one was
   * written a moment ago.
   */
  readonly checkpoint: (snapshot: Snapshot) => Promise<void>;
  /** Writes everything that is buffered, and the snapshot. False when the run is no longer ours. */
  readonly save: (snapshot: Snapshot) => Promise<boolean>;
  /**
   * Writes that the run is paused, with its snapshot if it has begun, and gives the lease back. False when
   * the run is no longer ours.
   */
  readonly pause: (pause: RunPause, snapshot?: Snapshot) => Promise<boolean>;
  /**
   * Writes the last event, and whether tasks of other agents are left to be canceled. `header` is what else changes in
   * the header. False when the run is no longer ours.
   */
  readonly finish: (end: RunEnd, hasRemoteTasks?: boolean, header?: HeaderChange) => Promise<boolean>;
  /**
   * Writes only that the run has failed, instead of an event that the table rejects permanently. False when
   * the run is no longer ours.
   */
  readonly fail: (end: FailedEnd) => Promise<boolean>;
  /** Aborts when the run was canceled or another process has taken it over. */
  readonly lost: AbortSignal;
  /** Ends the ticks; always call it. */
  readonly close: () => void;
}

export interface RecorderOptions {
  readonly run: StoredRun;
  readonly lease: string;
  /** How long the lease is renewed for by each write, in ms. */
  readonly leaseMs: number;
  /** What the run has used so far, which each event has. */
  readonly readUsed?: () => StoredEvent['used'];
  /** Present while the run is not stored. */
  readonly header?: DeferredHeader | undefined;
  /** Called with each event once it is stored. */
  readonly onEvent?: (event: StoredEvent) => void;
}

type EventUpdate = Omit<StoredEvent, 'generation' | 'at'>;
const working: EventUpdate = { status: 'working' };
const tickMs = 1_000;

export function createRecorder(options: RecorderOptions): Recorder {
  const buffer = createEventBuffer();
  const snapshots = createSnapshotKeeper(options.run, options.lease);
  const writer = createEventWriter({ ...options, snapshots });
  const { appendAll, appendBuffered } = createBufferedWriter(buffer, writer);

  /** A run that has nothing to write still learns within a tick that it was canceled, and keeps its lease. */
  const tick = setInterval(() => {
    const isStillOurs = buffer.isEmpty() ? writer.check() : appendBuffered();
    isStillOurs.then((yes) => yes || writer.abort()).catch(() => undefined);
  }, tickMs);

  const noteTasks = createTasksNote(options.run);
  const appendWithSnapshot = async (encrypted: Uint8Array, snapshot: Snapshot) =>
    await appendAll(working, { snapshot: encrypted, header: { claims: 0, ...noteTasks(snapshot) } });

  const appendLast = async (update: EventUpdate, beside?: Beside) => {
    clearInterval(tick);
    return await appendAll(update, beside);
  };

  return {
    log: buffer.log,
    reply: buffer.reply,
    text: buffer.text,
    use: buffer.use,
    flush: appendBuffered,
    checkpoint: async (snapshot) => {
      // There is nothing yet that another process could continue.
      if (options.header?.isPending()) return;
      const encrypted = await snapshots.encrypt(snapshot);
      if (snapshots.isDue(encrypted)) await appendWithSnapshot(encrypted, snapshot);
    },
    save: async (snapshot) => await appendWithSnapshot(await snapshots.encrypt(snapshot), snapshot),
    pause: async ({ waiting, header, ...pause }, snapshot) => {
      const encrypted = snapshot && (await snapshots.encrypt(snapshot));
      return await appendLast(toPauseUpdate(pause), {
        ...(encrypted && { snapshot: encrypted }),
        waiting,
        header: { ...header, claims: 0, lease_until: 0, ...(snapshot && noteTasks(snapshot)) },
      });
    },
    finish: (end, hasRemoteTasks = false, header = {}) => {
      for (const message of listFinalArtifacts(end)) buffer.reply(message);
      return appendLast(toUpdate(end), { header: { ...(!hasRemoteTasks && noteTasks()), ...header } });
    },
    fail: (end) => {
      clearInterval(tick);
      return writer.replace(end);
    },
    lost: writer.lost,
    close: () => clearInterval(tick),
  };
}

/** They are written as output before the end, whose event has no room for them beside the response. */
const listFinalArtifacts = (end: RunEnd): OutputMessage[] =>
  end.status === 'failed'
    ? []
    : endArtifacts(end.artifacts ?? []).map((message) => ({ key: message.artifact.artifact_id, ...message }));

const toPauseUpdate = ({ status, requests, needs }: Omit<RunPause, 'header'>): EventUpdate => ({
  status,
  ...(requests && { requests: JSON.stringify(requests) }),
  ...(needs && { needs: JSON.stringify(needs) }),
});

function toUpdate(end: RunEnd): EventUpdate {
  if (end.status === 'failed') return end;
  const { status, response, as, message, response_artifact: labels } = end;
  return {
    status,
    response: JSON.stringify(response),
    ...(as !== undefined && as !== 'task' && { as }),
    ...(message && { status_message: message }),
    ...(labels && { response_labels: JSON.stringify(labels) }),
  };
}

/** Writes what is buffered, in as many events as it takes. */
function createBufferedWriter(buffer: EventBuffer, writer: EventWriter) {
  const append = (update: EventUpdate, beside: Beside = {}) =>
    writer.append(() => ({ ...buffer.drain(), ...update }), beside);
  /**
   * When several calls come at once, the first write takes everything and the others have nothing left to do.
   */
  const appendBuffered = () =>
    writer.append(() => (buffer.isEmpty() ? undefined : { ...buffer.drain(), ...working }), {});

  /**
   * What does not fit into the event is written before it, so that no output is younger than a snapshot or
   * the end.
   */
  const appendAll = async (update: EventUpdate, beside?: Beside) => {
    while (!buffer.isEmpty() && !buffer.fitsOneEvent(jsonBytes(withoutLargeResponse(update))))
      if (!(await append(working))) return false;
    return await append(update, beside);
  };

  return { appendAll, appendBuffered };
}

type Content = Omit<StoredEvent, 'generation' | 'at'>;
/** What is written in the transaction of an event. */
interface Beside {
  readonly snapshot?: Uint8Array;
  readonly waiting?: readonly object[] | undefined;
  readonly header?: HeaderChange;
}
/** One write, which can be sent again as it is. */
interface Write extends Beside {
  readonly event: StoredEvent;
}

type EventWriter = ReturnType<typeof createEventWriter>;

interface WriterOptions extends RecorderOptions {
  readonly snapshots: SnapshotKeeper;
}

/** One write after the other; after one that fails its condition, none is tried. */
function createEventWriter({ run, lease, leaseMs, readUsed, header, onEvent, snapshots }: WriterOptions) {
  const lost = new AbortController();
  let { generation, status } = run;
  let renewedAt = performance.now();
  /** A write that failed without an answer. It may be stored or not, so it is sent again before any other. */
  let unconfirmed: Write | undefined;
  const inSequence = createSequence();

  const store = async (write: Write): Promise<boolean> => {
    unconfirmed = write;
    const { event, ...beside } = write;
    const snapshot = write.snapshot && (await snapshots.toItem(event.generation, write.snapshot));
    const holder = { holder: lease, until: Date.now() + leaseMs };
    const append = { ...beside, run: { ...run, status }, event, lease: holder, snapshot, deferred: header };
    const isStored = await appendOnce(append);
    unconfirmed = undefined;
    if (!isStored) {
      lost.abort();
      return false;
    }
    ({ generation, status } = event);
    renewedAt = performance.now();
    onEvent?.(event);
    if (snapshot) await snapshots.dropFormer();
    return true;
  };

  const write = async (makeContent: () => Content | undefined, beside: Beside) => {
    if (unconfirmed && !(await store(unconfirmed))) return false;
    const content = makeContent();
    if (!content) return true;
    const used = readUsed?.();
    const at = new Date().toISOString();
    const event = { generation: generation + 1, at, ...(used && { used }), ...content };
    return await store({ event, ...beside });
  };

  return {
    lost: lost.signal,
    abort: () => lost.abort(),
    /** Whether the run is still ours, when there is nothing to write. */
    check: async (): Promise<boolean> => {
      if (header && !(await header.store())) return false;
      if (performance.now() - renewedAt < leaseMs * renewAfterShare)
        return await holdsLease(run.run_id, lease);
      const isOurs = await renewLease(run.run_id, lease, Date.now() + leaseMs);
      renewedAt = performance.now();
      return isOurs;
    },
    /** The content is made when its turn has come; without content nothing is written. */
    append: (makeContent: () => Content | undefined, beside: Beside) =>
      inSequence(() => write(makeContent, beside)),
    /** Replaces a write that the table has refused, and so surely does not have. */
    replace: (content: Content) =>
      inSequence(async () => {
        unconfirmed = undefined;
        return await write(() => content, {});
      }),
  };
}

/**
 * Runs one action after the other. A failure of one does not fail the next; after one that returns false,
 * none is begun.
 */
function createSequence(): (action: () => Promise<boolean>) => Promise<boolean> {
  let last: Promise<boolean> = Promise.resolve(true);
  return (action) => {
    last = last.catch(() => true).then(async (isOurs) => isOurs && (await action()));
    return last;
  };
}

async function appendOnce(append: Append): Promise<boolean> {
  const isStored = (await appendEvent(append)) || (await wasStored(append));
  if (isStored) append.deferred?.settle();
  return isStored;
}

/**
 * A write whose answer was lost fails its condition when it is repeated; the header then shows that it had
 * succeeded.
 */
async function wasStored({ run, event, lease }: Append): Promise<boolean> {
  const now = await readRun(run.run_id);
  const isOurs = now !== undefined && now.lease === lease?.holder && now.updated_at === event.at;
  if (!isOurs || now.generation !== event.generation || now.status !== event.status) return false;
  await wakePush(now, event);
  return true;
}

async function holdsLease(id: string, lease: string): Promise<boolean> {
  const run = await readRun(id);
  return run !== undefined && !isFinal(run.status) && run.lease === lease;
}
