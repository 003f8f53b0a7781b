// The index of A2A tasks: those of one caller with one agent, by the time at which their state changed. Only
// runs that were started over A2A are in it, and only a change of the state writes to it.
import * as z from 'zod';
import { runsTable } from '#lib/dynamo/client.ts';
import { queryCount, queryFirst } from '#lib/dynamo/query.ts';
import { built } from '#lib/json/built-schema.ts';
import { type RunStatus, readStatusTimestamp, runKey, type StoredRun, storedRun } from './stored-run.ts';

/** The tasks of a caller with an agent, which is a flow of a workspace. */
export type TaskListScope = Pick<
  StoredRun,
  'orgid' | 'workspaceid' | 'flowid' | 'caller_orgid' | 'caller_id'
>;

const index = 'gsi3';

const partition = ({ orgid, workspaceid, flowid, caller_orgid, caller_id }: TaskListScope): string =>
  `TASKS#${orgid}#${workspaceid}#${flowid}#${caller_orgid}#${caller_id}`;

export const isInTaskList = (run: TaskListScope, scope: TaskListScope): boolean =>
  partition(run) === partition(scope);

/** The keys of the index; none for runs that are no A2A tasks. */
export const taskKeys = (run: StoredRun) =>
  run.trigger === 'a2a'
    ? { gsi3pk: partition(run), gsi3sk: `${readStatusTimestamp(run)}#${run.run_id}` }
    : {};

const listedTask = /* @__PURE__ */ z.lazy(() =>
  built(storedRun)
    .pick({ status: true, as: true, context_id: true })
    .extend({ pk: z.string(), gsi3sk: z.string() })
    .transform(({ pk, gsi3sk, ...task }) => ({ ...task, run_id: pk.slice('RUN#'.length), position: gsi3sk })),
);
export type ListedTask = z.output<typeof listedTask>;

type Listable = Pick<
  StoredRun,
  'run_id' | 'status' | 'as' | 'context_id' | 'status_timestamp' | 'updated_at'
>;

/** A task of the scope that a request executes and that the index does not have yet. */
export const toListedTask = ({ run_id, status, as, context_id, ...times }: Listable): ListedTask => ({
  run_id,
  status,
  as,
  context_id,
  position: `${readStatusTimestamp(times)}#${run_id}`,
});

export interface TaskFilters {
  readonly context_id?: string | undefined;
  readonly status?: RunStatus | undefined;
  /** Of completed tasks: the rejected ones, or the others. */
  readonly isRejected?: boolean | undefined;
}

export const isWantedTask = (
  task: Pick<StoredRun, 'context_id' | 'status' | 'as'>,
  filters: TaskFilters,
): boolean =>
  (filters.context_id === undefined || task.context_id === filters.context_id) &&
  (filters.status === undefined || task.status === filters.status) &&
  (filters.isRejected === undefined || (task.as === 'rejected') === filters.isRejected);

interface TaskRange {
  readonly scope: TaskListScope;
  /** Positions, both included. */
  readonly from: string;
  readonly to: string;
}

const query = ({ scope, from, to }: TaskRange) => ({
  IndexName: index,
  KeyConditionExpression: '#pk = :pk AND #sk BETWEEN :from AND :to',
  ExpressionAttributeNames: { '#pk': `${index}pk`, '#sk': `${index}sk` },
  ExpressionAttributeValues: { ':pk': partition(scope), ':from': from, ':to': to },
  ScanIndexForward: false,
});

/** Newest first; fewer than `limit` only where the range ends. */
export async function queryTasks(range: TaskRange, limit: number): Promise<ListedTask[]> {
  // DynamoDB refuses an empty range.
  if (range.from > range.to) return [];
  return z.array(listedTask).parse(await queryFirst(runsTable, query(range), limit));
}

interface CountedRange extends Omit<TaskRange, 'to'> {
  /** The position before the range, which a task has or had. */
  readonly behind: string;
}

/** How many of the newest `readMax` tasks of a range pass the filters. */
export async function countTasks(
  { behind, ...range }: CountedRange,
  filters: TaskFilters,
  readMax: number,
): Promise<number> {
  const { ExpressionAttributeNames, ExpressionAttributeValues, ...rest } = query({ ...range, to: behind });
  const filter = filterExpression(filters);
  return await queryCount(
    runsTable,
    {
      ...rest,
      ExclusiveStartKey: {
        ...runKey(behind.slice(behind.indexOf('#') + 1)),
        gsi3pk: partition(range.scope),
        gsi3sk: behind,
      },
      ...(filter.conditions.length > 0 && { FilterExpression: filter.conditions.join(' AND ') }),
      ExpressionAttributeNames: { ...ExpressionAttributeNames, ...filter.names },
      ExpressionAttributeValues: { ...ExpressionAttributeValues, ...filter.values },
    },
    readMax,
  );
}

/** The filters of `isWantedTask`. */
function filterExpression({ context_id, status, isRejected }: TaskFilters) {
  const conditions = {
    context_id: [context_id, '#context_id = :context_id'],
    status: [status, '#status = :status'],
    as: isRejected
      ? ['rejected', '#as = :as']
      : [isRejected === false ? 'rejected' : undefined, '(attribute_not_exists(#as) OR #as <> :as)'],
  } as const;
  const given = Object.entries(conditions).filter(([, [value]]) => value !== undefined);
  return {
    conditions: given.map(([, [, condition]]) => condition),
    names: Object.fromEntries(given.map(([name]) => [`#${name}`, name])),
    values: Object.fromEntries(given.map(([name, [value]]) => [`:${name}`, value])),
  };
}
