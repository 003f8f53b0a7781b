// `ListTasks`: a page of the tasks of the caller with the agent, by the time at which their state changed,
// newest first. The index has what the filters need; the tasks themselves are read from their runs. A task
// whose state changes moves to the beginning of the list, so a client that has read all pages finds what
// changed meanwhile by `statusTimestampAfter`.
import { Task } from '@a2a-js/sdk';
import * as z from 'zod';
import type { Caller } from '#lib/access/caller.ts';
import { type CursorBinding, readCursor, writeCursor } from '#lib/dynamo/cursor.ts';
import { ServiceError } from '#lib/errors.ts';
import { jsonBytes } from '#lib/json/size.ts';
import { collectPage } from '#lib/run/collect-page.ts';
import { withConfigurationLinks } from '#lib/run/configuration-link.ts';
import { endIfAbandoned } from '#lib/run/end.ts';
import { addHeld, type HeldRun, readHeldRuns } from '#lib/run/held-runs.ts';
import { withResponse } from '#lib/run/large-response.ts';
import { prefetchEvents, readRuns } from '#lib/run/read-runs.ts';
import { withAnswers, withInput } from '#lib/run/run-encryption.ts';
import { viewRun } from '#lib/run/state.ts';
import {
  type EventItem,
  isAbandonedAt,
  readStatusTimestamp,
  type StoredEvent,
  type StoredRun,
} from '#lib/run/stored-run.ts';
import {
  countTasks,
  isInTaskList,
  isWantedTask,
  type ListedTask,
  queryTasks,
  type TaskFilters,
  type TaskListScope,
  toListedTask,
} from '#lib/run/task-list-items.ts';
import { A2ARefusal } from './errors.ts';
import { withFileLinks } from './file-links.ts';
import { type CallContext, describeTask } from './own-task.ts';
import type { ListTasksParams } from './params.ts';
import { toStateFilter } from './status.ts';

const pageSizeDefault = 50;
/** Tasks behind the page that are counted for `totalSize`: some four reads of a megabyte. */
const countedMax = 10_000;

export async function listTasks(context: CallContext, params: ListTasksParams): Promise<unknown> {
  const { row, caller } = context;
  const {
    pageSize = pageSizeDefault,
    pageToken,
    statusTimestampAfter,
    historyLength,
    includeArtifacts,
  } = params;
  const { orgid, workspaceid, flowid } = row;
  const scope = { orgid, workspaceid, flowid, caller_orgid: caller.orgid, caller_id: caller.id };
  const filters = toFilters(params);
  const from = toLowerBound(statusTimestampAfter);
  const binding = { list: 'tasks', caller, query: { orgid, workspaceid, flowid, ...filters, from } };
  const [before, known] = pageToken === undefined ? [] : await readToken(pageToken, binding);
  const held = await readHeldTasks(scope);
  const page = await collectPage({
    read: async (to, limit) =>
      addHeld(await queryTasks({ scope, from, to }, limit), held, { from, to, limit }),
    isWanted: (task) => isWantedTask(task, filters),
    limit: pageSize,
    before: before ?? afterAll,
  });
  const [loaded, totalSize] = await Promise.all([
    loadTasks(page.found, filters, { caller, historyLength, includeArtifacts }),
    known ?? countAll(),
  ]);
  const next = loaded.next ?? page.next;
  const nextPageToken = next === undefined ? '' : await writeCursor(binding, [next, totalSize]);
  return { tasks: loaded.tasks, nextPageToken, pageSize, totalSize };

  async function countAll(): Promise<number> {
    const { found, next: behind } = page;
    if (behind === undefined) return found.length;
    const heldBehind = held.filter(
      (task) => from <= task.position && task.position < behind && isWantedTask(task, filters),
    );
    return (
      found.length + heldBehind.length + (await countTasks({ scope, from, behind }, filters, countedMax))
    );
  }
}

/** Tasks of the list that requests execute, and that the index does not have yet. */
async function readHeldTasks(scope: TaskListScope): Promise<readonly ListedTask[]> {
  const runs = await readHeldRuns({ orgid: scope.caller_orgid, keyId: scope.caller_id });
  const isUnlisted = ({ trigger, generation }: HeldRun) => trigger === 'a2a' && generation === 0;
  const now = Date.now();
  // A page ends the run of a process that died when it reads it (`readGroup`), so filters see it as it will be.
  const asShown = (run: HeldRun): HeldRun => (isAbandonedAt(now, run) ? { ...run, status: 'failed' } : run);
  return runs
    .filter((run) => isUnlisted(run) && isInTaskList(run, scope))
    .map((run) => toListedTask(asShown(run)));
}

const toFilters = ({ contextId, status }: ListTasksParams): TaskFilters => ({
  context_id: contextId,
  ...(status !== undefined && toStateFilter(status)),
});

/** All positions begin with a year of four digits. */
const afterAll = '9~';
const beforeAll = '0';

/** The first millisecond that is not before a time of any precision. */
function toLowerBound(time: string | undefined): string {
  if (time === undefined) return beforeAll;
  const finer = /\.\d{3}(\d+)/.exec(time)?.[1] ?? '';
  const at = new Date(Date.parse(time) + (/[1-9]/.test(finer) ? 1 : 0)).toISOString();
  // Years outside of four digits have a sign, by an offset from UTC at either end of time.
  return at.startsWith('+') ? afterAll : at.startsWith('-') ? beforeAll : at;
}

const position = z.tuple([z.string(), z.number()]);

/** Where the page begins, and the total that the first page had. */
async function readToken(pageToken: string, binding: CursorBinding): Promise<z.infer<typeof position>> {
  try {
    return await readCursor(pageToken, binding, position);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'validation_failed') throw error;
    const detail = 'must be the nextPageToken of a response to the same request by the same caller';
    throw new A2ARefusal('INVALID_PARAMS', undefined, [{ pointer: '/params/pageToken', detail }]);
  }
}

interface Contents {
  readonly caller: Caller;
  /** Undefined for all messages. */
  readonly historyLength: number | undefined;
  readonly includeArtifacts: boolean | undefined;
}

/** A page has tasks of so many bytes, and at least one task; the others are left to the next page. */
const pageBytesMax = 4_000_000;
/** Tasks that are read together. */
const groupSize = 50;

async function loadTasks(
  listed: readonly ListedTask[],
  filters: TaskFilters,
  contents: Contents,
): Promise<{ readonly tasks: readonly unknown[]; readonly next?: string }> {
  const loaded: LoadedTask[] = [];
  let bytes = 0;
  for (let start = 0; start < listed.length; start += groupSize) {
    const group = listed.slice(start, start + groupSize);
    const readTask = await readGroup(group, filters, contents);
    for (const { run_id, position: last } of group) {
      const task = await readTask(run_id);
      if (!task) continue;
      loaded.push(task);
      bytes += jsonBytes(task.wire);
      if (bytes > pageBytesMax && last !== listed.at(-1)?.position)
        return { tasks: inOrder(loaded), next: last };
    }
  }
  return { tasks: inOrder(loaded) };
}

interface LoadedTask {
  readonly timestamp: string;
  readonly wire: object;
}

/** The state of a task may have changed after the index was read. */
const inOrder = (tasks: readonly LoadedTask[]): readonly object[] =>
  tasks
    .toSorted((a, b) => (a.timestamp < b.timestamp ? 1 : a.timestamp > b.timestamp ? -1 : 0))
    .map(({ wire }) => wire);

/** Reads what a group needs. Returns the function that makes one task of it; none if it left the list. */
async function readGroup(group: readonly ListedTask[], filters: TaskFilters, contents: Contents) {
  const stored = await readRuns(group.map(({ run_id }) => run_id));
  const now = Date.now();
  const ended = await Promise.all([...stored.values()].map((run) => endIfAbandoned(run, now)));
  const runs = new Map(ended.filter((run) => isWantedTask(run, filters)).map((run) => [run.run_id, run]));
  // The message of the status of a task that works is its latest reply.
  const needsAll = ({ status }: StoredRun) =>
    contents.includeArtifacts || contents.historyLength !== 0 || status === 'working';
  const readEvents = await prefetchEvents([...runs.values()], needsAll);
  return async (id: string): Promise<LoadedTask | undefined> => {
    const run = runs.get(id);
    if (!run) return undefined;
    const wire = await buildTask(run, await readEvents(run), contents);
    return { timestamp: readStatusTimestamp(run), wire };
  };
}

async function buildTask(run: StoredRun, items: readonly EventItem[], contents: Contents): Promise<object> {
  const { caller, historyLength, includeArtifacts } = contents;
  // A response that is stored in chunks is read only where it is shown.
  const isShown = includeArtifacts || run.as !== undefined;
  const events = isShown ? await Promise.all(items.map((item) => withResponse(run.run_id, item))) : items;
  const [known, plain] = historyLength === 0 ? withoutMessages(run, events) : await withMessages(run, events);
  const linked = await withFileLinks(run, await withConfigurationLinks(run, plain, caller, Date.now()));
  const task = describeTask(viewRun(known, linked), { historyLength });
  return Object(Task.toJSON(includeArtifacts ? task : { ...task, artifacts: [] }));
}

/** Decrypts what the caller sent. */
const withMessages = async (run: StoredRun, events: readonly StoredEvent[]) =>
  await Promise.all([withInput(run), withAnswers(run, events)]);

/** A task without history needs nothing that is encrypted. */
const withoutMessages = (
  { input: _input, ...run }: StoredRun,
  events: readonly StoredEvent[],
): readonly [StoredRun, readonly StoredEvent[]] => [
  run,
  events.map(({ answer: _answer, message: _message, ...event }) => event),
];
