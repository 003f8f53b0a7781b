// Pages of ListTasks in random histories, compared with a list in memory: with any filter, and while tasks start,
// change their state, put something out and expire between pages, each page is full and begins where the one
// before ended. The rule runs in this process, against the embedded DynamoDB.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { listTasks } from '#lib/a2a/list-tasks.ts';
import type { CallContext } from '#lib/a2a/own-task.ts';
import { listTasksParams } from '#lib/a2a/params.ts';
import type { Caller } from '#lib/access/caller.ts';
import { batchDelete } from '#lib/dynamo/batch.ts';
import { runsTable } from '#lib/dynamo/client.ts';
import { newRunId } from '#lib/ids.ts';
import { requestLog } from '#lib/log.ts';
import { appendEvent, insertRun } from '#lib/run/run-items.ts';
import { isFinal, type RunStatus, runKey, type StoredRun } from '#lib/run/stored-run.ts';
import { countTasks } from '#lib/run/task-list-items.ts';
import { unique } from '#test/support/caller.ts';
import { seed } from '#test/support/seed.ts';
import { storedRow } from '#test/support/stored-rows.ts';
import { run } from '#test/support/stored-run.ts';

/** Few moments, so that tasks share them and only their ids distinguish them. */
const moment = fc.nat(6);
const contextId = fc.constantFrom('a', 'b');
const status = fc.constantFrom<RunStatus[]>(
  'working',
  'input_required',
  'auth_required',
  'completed',
  'failed',
  'canceled',
);
const change = fc.oneof(
  fc.record({ kind: fc.constant('start' as const), moment, contextId, isTask: fc.boolean() }),
  fc.record({
    kind: fc.constant('become' as const),
    index: fc.nat(),
    moment,
    status,
    isRejected: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('output' as const), index: fc.nat(), moment }),
  fc.record({ kind: fc.constant('expire' as const), index: fc.nat() }),
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

const toTime = (n: number) => new Date(Date.UTC(2026, 0, 1) + n).toISOString();
const some = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 1 });
const states = {
  submitted: 'TASK_STATE_SUBMITTED',
  working: 'TASK_STATE_WORKING',
  input_required: 'TASK_STATE_INPUT_REQUIRED',
  auth_required: 'TASK_STATE_AUTH_REQUIRED',
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  canceled: 'TASK_STATE_CANCELED',
} as const satisfies Record<RunStatus, string>;
const request = fc.record({
  pageSize: fc.constantFrom(1, 2, 5),
  contextId: some('a', 'b'),
  status: some(...Object.values(states), 'TASK_STATE_REJECTED'),
  statusTimestampAfter: fc.option(moment.map(toTime), { nil: undefined }),
});
type ListRequest = typeof request extends fc.Arbitrary<infer T> ? T : never;

const history = fc.record({
  before: fc.array(change, { maxLength: 40 }),
  between: fc.array(fc.array(change, { maxLength: 3 }), { minLength: 40, maxLength: 40 }),
  request,
});

interface World {
  readonly context: CallContext;
  readonly runs: Map<string, StoredRun>;
}

function newWorld(): World {
  const caller: Caller = { id: unique('key'), orgid: unique('org'), workspaces: '*', scopes: new Set() };
  const row = storedRow({ orgid: caller.orgid, workspaceid: unique('ws'), flowid: unique('flow') });
  const context = {
    row,
    status: row.status,
    caller,
    extensions: { active: [], missing: [], header: 'A2A-Extensions' },
    log: requestLog({}),
    remainingMs: () => 60_000,
    signal: new AbortController().signal,
  };
  return { context, runs: new Map() };
}

async function apply({ context, runs }: World, change: Change): Promise<void> {
  if (change.kind === 'start') {
    const { orgid, workspaceid, flowid } = context.row;
    const at = toTime(change.moment);
    const started = run({
      mode: 'queued',
      ...{
        run_id: newRunId(),
        status: 'submitted',
        generation: 0,
        trigger: change.isTask ? 'a2a' : 'background',
      },
      ...{ orgid, workspaceid, flowid, caller_orgid: context.caller.orgid, caller_id: context.caller.id },
      ...{ context_id: change.contextId, created_at: at, status_timestamp: at, updated_at: at },
      ...{ deadline: Date.now() + 3_600_000, ttl: Math.floor(Date.now() / 1_000) + 3_600 },
    });
    await insertRun(started);
    runs.set(started.run_id, started);
    return;
  }
  const chosen = [...runs.values()][change.index % Math.max(1, runs.size)];
  if (!chosen) return;
  if (change.kind === 'expire') {
    await batchDelete(runsTable, [runKey(chosen.run_id)]);
    runs.delete(chosen.run_id);
    return;
  }
  if (isFinal(chosen.status)) return;
  const next = change.kind === 'output' ? chosen.status : change.status;
  const as =
    change.kind === 'become' && next === 'completed' && change.isRejected ? ('rejected' as const) : undefined;
  const event = {
    generation: chosen.generation + 1,
    at: toTime(change.moment),
    status: next,
    ...(as && { as }),
  };
  expect(await appendEvent({ run: chosen, event })).toBe(true);
  const changed: StoredRun = {
    ...chosen,
    generation: event.generation,
    status: next,
    as,
    updated_at: event.at,
    ...(next !== chosen.status && { status_timestamp: event.at }),
  };
  runs.set(chosen.run_id, changed);
}

const toPosition = ({ status_timestamp, run_id }: StoredRun) => `${status_timestamp}#${run_id}`;
const toState = (each: StoredRun) => (each.as === 'rejected' ? 'TASK_STATE_REJECTED' : states[each.status]);

/** The list as anybody would write it who has all tasks in memory. */
const expected = ({ runs }: World, { contextId, status, statusTimestampAfter = '' }: ListRequest): string[] =>
  [...runs.values()]
    .filter(
      (each) =>
        each.trigger === 'a2a' &&
        (contextId === undefined || each.context_id === contextId) &&
        (status === undefined || toState(each) === status) &&
        String(each.status_timestamp) >= statusTimestampAfter,
    )
    .map(toPosition)
    .sort()
    .reverse();

const page = z.object({
  tasks: z.array(z.object({ id: z.string(), status: z.object({ timestamp: z.string() }) })),
  nextPageToken: z.string(),
  pageSize: z.number(),
  totalSize: z.number(),
});

/** Where the next page begins: behind all that was looked at, which may be more than is on the page. */
const decodePosition = (token: string): string =>
  z
    .tuple([z.string(), z.number()])
    .parse(JSON.parse(Buffer.from(token.slice(0, -43), 'base64url').toString()))[0];

async function play({ before, between, request }: typeof history extends fc.Arbitrary<infer T> ? T : never) {
  const world = newWorld();
  for (const each of before) await apply(world, each);
  const total = expected(world, request).length;
  let last = '~';
  let pageToken = '';
  for (const changes of between) {
    const params = listTasksParams.parse({ ...request, pageToken, historyLength: 0 });
    const listed = page.parse(await listTasks(world.context, params));
    const rest = expected(world, request).filter((position) => position < last);
    const positions = listed.tasks.map(({ id, status: { timestamp } }) => `${timestamp}#${id}`);
    expect(positions).toEqual(rest.slice(0, request.pageSize));
    expect(listed).toMatchObject({ totalSize: total, pageSize: request.pageSize });
    expect(listed.nextPageToken !== '').toBe(rest.length > request.pageSize);
    pageToken = listed.nextPageToken;
    if (pageToken === '') break;
    last = decodePosition(pageToken);
    for (const each of changes) await apply(world, each);
  }
}

describe(`pages of tasks equal those of a list in memory (SEED=${seed})`, () => {
  test('in every history of tasks that start, change their state, put something out and expire', async () => {
    await fc.assert(fc.asyncProperty(history, play), { seed, numRuns: 100, endOnFailure: true });
  });
});

test('a task that no process works on any more is listed as failed, first, and its end is stored', async () => {
  const { context, runs } = newWorld();
  await apply({ context, runs }, { kind: 'start', moment: 0, contextId: 'a', isTask: true });
  await apply({ context, runs }, { kind: 'start', moment: 1, contextId: 'a', isTask: true });
  const [abandoned, other] = [...runs.values()];
  if (!abandoned || !other) throw new Error('There are two tasks.');
  const event = { generation: 1, at: toTime(0), status: 'submitted' } as const;
  expect(await appendEvent({ run: abandoned, event, header: { deadline: 0 } })).toBe(true);
  const list = async (params: object) =>
    page.parse(await listTasks(context, listTasksParams.parse(params))).tasks.map(({ id }) => id);
  expect(await list({})).toEqual([abandoned.run_id, other.run_id]);
  expect(await list({ status: 'TASK_STATE_FAILED' })).toEqual([abandoned.run_id]);
});

describe('a page', () => {
  const start = async (world: World, count: number) => {
    for (let n = 0; n < count; n += 1)
      await apply(world, { kind: 'start', moment: n, contextId: 'a', isTask: true });
  };

  test('ends before its length if its tasks are large, and the next one continues', async () => {
    const world = newWorld();
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x'.repeat(350_000) }] };
    const input = JSON.stringify({ a2a: { message } });
    for (let n = 0; n < 15; n += 1) {
      const { row, caller } = world.context;
      const { orgid, workspaceid, flowid } = row;
      const task = run({
        mode: 'queued',
        ...{ run_id: newRunId(), generation: 0, orgid, workspaceid, flowid, input, updated_at: toTime(n) },
        ...{ caller_orgid: caller.orgid, caller_id: caller.id, deadline: Date.now() + 3_600_000 },
      });
      await insertRun(task);
      world.runs.set(task.run_id, task);
    }
    const all = [...world.runs.keys()].reverse();
    const seen: string[][] = [];
    let pageToken = '';
    do {
      const params = listTasksParams.parse({ pageToken });
      const listed = page.parse(await listTasks(world.context, params));
      expect(listed.totalSize).toBe(15);
      seen.push(listed.tasks.map(({ id }) => id));
      ({ nextPageToken: pageToken } = listed);
    } while (pageToken !== '');
    expect(seen).toEqual([all.slice(0, 12), all.slice(12)]);
  });

  test('counts the tasks behind it up to a bound', async () => {
    const world = newWorld();
    await start(world, 6);
    const { row, caller } = world.context;
    const { orgid, workspaceid, flowid } = row;
    const scope = { orgid, workspaceid, flowid, caller_orgid: caller.orgid, caller_id: caller.id };
    const [newest = ''] = [...world.runs.values()].map(toPosition).sort().reverse();
    const range = { scope, from: '0', behind: newest };
    expect(await countTasks(range, {}, 100)).toBe(5);
    expect(await countTasks(range, { context_id: 'b' }, 100)).toBe(0);
    expect(await countTasks(range, {}, 3)).toBe(3);
  });
});
