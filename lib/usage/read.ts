// What models have used in an organisation, in a range of days, by day or month: one page, and the cursor of the next.
import * as z from 'zod';
import { type Caller, mayUseWorkspace, requireWorkspace } from '#lib/access/caller.ts';
import { readCursor, writeCursor } from '#lib/dynamo/cursor.ts';
import { ServiceError } from '#lib/errors.ts';
import { currency } from '#lib/model/usage.ts';
import type { UsageGroup, UsagePeriod, UsageRow } from './usage.ts';
import { addFigures, toDollars, type UsageFigures, usageMonthsKept } from './usage-items.ts';
import { queryUsage, queryUsedWorkspaces, type UsageCounter, type UsageDays } from './usage-queries.ts';

export interface UsageQuery {
  readonly workspaceid?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly by?: UsagePeriod | undefined;
  readonly group?: UsageGroup | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export const usageDaysMax = 92;
/** Thirteen months of 31 days would be more than are kept. */
export const usageMonthDaysMax = 396;
const limitDefault = 50;
const dayMs = 86_400_000;

/** Oldest first, and in a period by what they are grouped by. */
export async function readUsage(
  caller: Caller,
  query: UsageQuery,
  at: string,
): Promise<{ items: UsageRow[]; nextCursor: string | undefined }> {
  const { workspaceid, by = 'day', group, limit = limitDefault, cursor } = query;
  if (workspaceid !== undefined) requireWorkspace(caller, workspaceid);
  const { from, to } = query;
  const binding = { list: 'usage', caller, query: { workspaceid, from, to, by, group } };
  const after = cursor === undefined ? undefined : await readCursor(cursor, binding, cursorPosition);
  const days = after ? { first: after[0], last: after[1] } : parseDays(query, by, at);
  const position = after && { period: after[2], id: after[3] };
  const { rows, readTo } = await collectRows(caller, {
    ...days,
    workspaceid,
    by,
    group,
    position,
    count: limit + 1,
  });
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : readTo;
  const nextCursor = last && (await writeCursor(binding, [days.first, days.last, last.period, last.id]));
  return { items: items.map(({ row }) => row), nextCursor };
}

/** The days of the first page, whose end may have been today, and the last row that was shown. */
const cursorPosition = z.tuple([z.string(), z.string(), z.string(), z.string()]);

function parseDays({ from, to }: UsageQuery, by: UsagePeriod, at: string): UsageDays {
  const last = to ?? at.slice(0, 10);
  const first = from ?? `${last.slice(0, 7)}-01`;
  const daysMax = by === 'day' ? usageDaysMax : usageMonthDaysMax;
  const count = (Date.parse(last) - Date.parse(first)) / dayMs + 1;
  if (count >= 1 && count <= daysMax) return { first, last };
  const detail = `must not be after \`to\`, and at most ${daysMax} days with it`;
  throw new ServiceError('validation_failed', { errors: [{ pointer: '/query/from', detail }] });
}

interface RowsQuery extends UsageDays {
  readonly workspaceid: string | undefined;
  readonly by: UsagePeriod;
  readonly group: UsageGroup | undefined;
  readonly position: RowPosition | undefined;
  readonly count: number;
}

interface RowPosition {
  readonly period: string;
  readonly id: string;
}

interface IdentifiedRow extends RowPosition {
  readonly row: UsageRow;
}

/** A page reads so many workspaces of months, and may be short then. A call takes some milliseconds. */
const readsMax = 1_000;

interface CollectedRows {
  readonly rows: readonly IdentifiedRow[];
  /** Where the next page begins, if this one has read enough. */
  readonly readTo?: RowPosition;
}

/** Month by month, until there are enough: each page reads the month that it begins in again. */
async function collectRows(caller: Caller, query: RowsQuery): Promise<CollectedRows> {
  const { position, count } = query;
  const rows: IdentifiedRow[] = [];
  let reads = 0;
  for (const days of splitByMonth({ first: findStart(query), last: query.last })) {
    const workspaces = await listWorkspaces(caller, days.first.slice(0, 7), query.workspaceid);
    const read = await readMonth(caller.orgid, workspaces, { ...query, ...days });
    rows.push(...read.filter((row) => !position || isAfter(row, position)));
    if (rows.length >= count) return { rows };
    reads += workspaces.length;
    if (reads >= readsMax && days.last < query.last) return { rows, readTo: { period: days.last, id: '~' } };
  }
  return { rows };
}

/** The first day, or that of the row after which the page begins. */
function findStart({ first, position }: RowsQuery): string {
  if (!position) return first;
  const day = position.period.length === 7 ? `${position.period}-01` : position.period;
  return day > first ? day : first;
}

const isAfter = (row: RowPosition, { period, id }: RowPosition): boolean =>
  row.period > period || (row.period === period && row.id > id);

function splitByMonth({ first, last }: UsageDays): UsageDays[] {
  const months: UsageDays[] = [];
  for (let start = first; start <= last && months.length <= usageMonthsKept; ) {
    const next = new Date(Date.UTC(Number(start.slice(0, 4)), Number(start.slice(5, 7)), 1));
    const end = new Date(next.getTime() - dayMs).toISOString().slice(0, 10);
    months.push({ first: start, last: end < last ? end : last });
    start = next.toISOString().slice(0, 10);
  }
  return months;
}

interface Sum {
  readonly period: string;
  readonly id: string;
  readonly labels: Pick<UsageRow, 'workspaceid' | 'flowid' | 'key' | 'model'>;
  figures: UsageFigures;
}

async function readMonth(
  orgid: string,
  workspaces: readonly string[],
  query: RowsQuery,
): Promise<IdentifiedRow[]> {
  const sums = new Map<string, Sum>();
  const add = async (workspaceid: string) => {
    for await (const counters of queryUsage({ orgid, workspaceid }, query))
      for (const counter of counters) addCounter(sums, { ...counter, workspaceid }, query);
  };
  for (let start = 0; start < workspaces.length; start += concurrency)
    await Promise.all(workspaces.slice(start, start + concurrency).map(add));
  return [...sums.values()]
    .map(({ period, id, labels, figures }) => ({ period, id, row: toRow(period, labels, figures) }))
    .sort((a, b) => (isAfter(a, b) ? 1 : -1));
}

const concurrency = 25;

const listWorkspaces = async (caller: Caller, month: string, only: string | undefined): Promise<string[]> =>
  only === undefined
    ? (await queryUsedWorkspaces(caller.orgid, month)).filter((id) => mayUseWorkspace(caller, id))
    : [only];

type Labelled = UsageCounter & { readonly workspaceid: string };

function addCounter(sums: Map<string, Sum>, counter: Labelled, { by, group }: RowsQuery): void {
  const period = by === 'day' ? counter.day : counter.day.slice(0, 7);
  const labels = group ? labelsOf[group](counter) : {};
  const id = JSON.stringify(Object.values(labels));
  const name = `${period} ${id}`;
  const sum = sums.get(name);
  if (sum) sum.figures = addFigures(sum.figures, counter);
  else sums.set(name, { period, id, labels, figures: addFigures(undefined, counter) });
}

const labelsOf: Record<UsageGroup, (counter: Labelled) => Sum['labels']> = {
  workspace: ({ workspaceid }) => ({ workspaceid }),
  // Workspaces may have flows of the same name.
  flow: ({ workspaceid, flowid }) => ({ workspaceid, flowid }),
  key: ({ key }) => (key === undefined ? {} : { key }),
  model: ({ model }) => ({ model }),
};

const toRow = (period: string, labels: Sum['labels'], figures: UsageFigures): UsageRow => ({
  period,
  ...labels,
  calls: figures.calls,
  tokens: {
    input: figures.input,
    output: figures.output,
    cached: figures.cached,
    cache_write: figures.cache_write,
  },
  cost_estimate: toDollars(figures.cost_nano),
  unpriced_calls: figures.unpriced,
  currency,
});
