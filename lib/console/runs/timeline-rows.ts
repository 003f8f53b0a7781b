// The rows of the timeline: executions of nodes below the node whose branch, item or turn they belong to, and the place
// of each on the axis of time. A node with many items has counts, and its items in pages, failed ones first. Pure.
import type { NodeVisit } from '#lib/run/visited-path.ts';
import type { LogEntry } from './run-events.ts';
import { clip, type Gap, makeAxis, type Stretch, subtract, type TimeAxis } from './time-axis.ts';
import type { TimeRange } from './time-range.ts';

export interface VisitRow {
  readonly kind: 'visit';
  readonly key: string;
  readonly visit: NodeVisit;
  /** 1 for nodes of the flow itself. */
  readonly level: number;
  readonly hasChildren: boolean;
  readonly isClosed: boolean;
  /** Shares of the width, 0 to 1. */
  readonly from: number;
  readonly width: number;
  /** The execution is not within the range that is shown. */
  readonly outside?: 'before' | 'after';
  readonly items?: ItemCounts;
  /** Where the node waited itself, as shares of the width. */
  readonly waits: readonly Share[];
  /** It waits still. */
  readonly isWaiting: boolean;
  readonly waitedMs: number;
  /** Where attempts failed that were followed by another, or by a fallback: shares of the width. */
  readonly retries: readonly number[];
  /** Also those that are outside of the range. */
  readonly retryCount: number;
}

/** A part of the width, 0 to 1. */
export interface Share {
  readonly from: number;
  readonly width: number;
}

/** Opens the next page of the items of a node. */
export interface MoreRow {
  readonly kind: 'more';
  /** Of the node with the items. */
  readonly key: string;
  readonly level: number;
  readonly hidden: number;
}
export type TimelineRow = VisitRow | MoreRow;

export interface ItemCounts {
  readonly all: number;
  readonly failed: number;
  readonly running: number;
  /** The log has left entries out: there may be more of each. */
  readonly isCut: boolean;
}

export interface Timeline {
  readonly rows: readonly TimelineRow[];
  readonly gaps: readonly Gap[];
  /** From the first start to the last end. */
  readonly span: Stretch;
  /** The axis of the whole run, by whose widths a range is changed. */
  readonly whole: TimeAxis;
}

export interface TimelineState {
  /** The end of what still runs. */
  readonly now: number;
  /** Rows that are not as they are at first: open, or closed if they have many items. */
  readonly toggled: ReadonlySet<string>;
  /** How many pages of its items are open, by row. */
  readonly pages: ReadonlyMap<string, number>;
  readonly waits: readonly Wait[];
  readonly retries: readonly Retry[];
  /** The log has left entries out. */
  readonly isCut?: boolean;
  /** What is shown of the run; all of it without. */
  readonly range?: TimeRange | undefined;
}

interface OfNode {
  readonly scope: string;
  readonly node_id: string;
}

/** A time in which a node waited for an answer, a connection or a point in time. */
/** One that is open has lasted until now. */
export type Wait = OfNode & Stretch & { readonly isOpen?: boolean };

/** When an attempt failed that another one followed. */
export type Retry = OfNode & { readonly at: number };

/** Of a bar, so that it can be seen. */
const widthMin = 0.012;
export const itemsPerPage = 50;
/** More items than these are closed at first. */
const itemsShownMax = 20;

export const visitKey = ({ scope = '', node_id, visit }: NodeVisit): string => `${scope}/${node_id}/${visit}`;

export function listRows(visits: readonly NodeVisit[], state: TimelineState): Timeline {
  const tree = buildTree(visits);
  const stretches = new Map(visits.map((visit) => [visitKey(visit), stretchOf(visit, state.now)]));
  const all = [...stretches.values()];
  const span = {
    from: all.reduce((min, { from }) => Math.min(min, from), Number.POSITIVE_INFINITY),
    to: all.reduce((max, { to }) => Math.max(max, to), 0),
  };
  const waits = Map.groupBy(state.waits, nodeKey);
  const retries = Map.groupBy(state.retries, nodeKey);
  const waitsOf = (visit: NodeVisit, stretch: Stretch) => clip(waits.get(nodeKey(visit)) ?? [], stretch);
  const busy = visits.flatMap((visit) => {
    const stretch = stretches.get(visitKey(visit));
    return stretch && !tree.has(visitKey(visit)) ? subtract(stretch, waitsOf(visit, stretch)) : [];
  });
  const whole = makeAxis(span, busy);
  const shown = state.range ? { from: span.from + state.range.from, to: span.from + state.range.to } : span;
  const { position, gaps } = state.range ? makeAxis(shown, clip(busy, shown)) : whole;
  const rowOf = (visit: NodeVisit): VisitRow => {
    const key = visitKey(visit);
    const stretch = stretches.get(key) ?? span;
    const { from, to } = stretch;
    const waited = waitsOf(visit, stretch).filter((wait) => wait.from < wait.to);
    const tried = (retries.get(nodeKey(visit)) ?? []).filter(({ at }) => from <= at && at <= to);
    const items = groupItems(tree.get(key) ?? []);
    const isLong = items.length > itemsShownMax;
    return {
      kind: 'visit',
      key,
      visit,
      level: scopeParts(visit.scope).length / 3 + 1,
      hasChildren: tree.has(key),
      isClosed: isLong !== state.toggled.has(key),
      from: Math.min(position(from), 1 - widthMin),
      width: Math.max(widthMin, position(to) - position(from)),
      ...(to < shown.from && { outside: 'before' }),
      ...(from > shown.to && { outside: 'after' }),
      ...(isLong && { items: countItems(items, state.isCut === true) }),
      waits: clip(waited, shown).map((wait) => ({
        from: position(wait.from),
        width: position(wait.to) - position(wait.from),
      })),
      isWaiting: visit.status === 'running' && (waits.get(nodeKey(visit)) ?? []).some(({ isOpen }) => isOpen),
      waitedMs: waited.reduce((sum, wait) => sum + wait.to - wait.from, 0),
      retries: tried.filter(({ at }) => shown.from <= at && at <= shown.to).map(({ at }) => position(at)),
      retryCount: tried.length,
    };
  };
  const rows = (tree.get('') ?? []).flatMap((visit) => listBelow(visit, tree, rowOf, state.pages));
  return { rows, gaps, span, whole };
}

const nodeKey = ({ scope = '', node_id }: Pick<NodeVisit, 'scope' | 'node_id'>): string =>
  `${scope}/${node_id}`;

/** From its start to its end, or to `now`. */
export function stretchOf({ started_at, duration_ms }: NodeVisit, now: number): Stretch {
  const from = Date.parse(started_at);
  return { from, to: duration_ms === undefined ? Math.max(from, now) : from + duration_ms };
}

/** A scope is a path such as `each.1.0`: for each level a node, its visit, and the branch or item. */
const scopeParts = (scope = ''): readonly string[] => (scope === '' ? [] : scope.split('.'));

type Tree = ReadonlyMap<string, readonly NodeVisit[]>;

/** The visits below each visit, by its key; those of the flow itself below the empty key. */
function buildTree(visits: readonly NodeVisit[]): Tree {
  const known = new Set(visits.map(visitKey));
  return Map.groupBy(visits, ({ scope }) => {
    const parts = scopeParts(scope);
    const [node_id = '', visit = ''] = parts.slice(-3);
    const key = `${parts.slice(0, -3).join('.')}/${node_id}/${visit}`;
    return known.has(key) ? key : '';
  });
}

type Item = readonly NodeVisit[];

const groupItems = (visits: readonly NodeVisit[]): readonly Item[] => [
  ...Map.groupBy(visits, ({ scope }) => scope).values(),
];

const has = (item: Item, status: NodeVisit['status']) => item.some((visit) => visit.status === status);

const countItems = (items: readonly Item[], isCut: boolean): ItemCounts => ({
  isCut,
  all: items.length,
  failed: items.filter((item) => has(item, 'failed')).length,
  running: items.filter((item) => has(item, 'running')).length,
});

function listBelow(
  visit: NodeVisit,
  tree: Tree,
  rowOf: (visit: NodeVisit) => VisitRow,
  pages: ReadonlyMap<string, number>,
): readonly TimelineRow[] {
  const row = rowOf(visit);
  if (!row.hasChildren || row.isClosed) return [row];
  const below = tree.get(row.key) ?? [];
  const list = (each: readonly NodeVisit[]) => each.flatMap((one) => listBelow(one, tree, rowOf, pages));
  if (!row.items) return [row, ...list(below)];
  const items = groupItems(below).toSorted((a, b) => urgency(a) - urgency(b));
  const shown = itemsPerPage * (pages.get(row.key) ?? 1);
  const hidden = items.length - shown;
  const more: MoreRow = { kind: 'more', key: row.key, level: row.level + 1, hidden };
  return [row, ...list(items.slice(0, shown).flat()), ...(hidden > 0 ? [more] : [])];
}

const urgency = (item: Item): number => (has(item, 'failed') ? 0 : has(item, 'running') ? 1 : 2);

export const findRetries = (logs: readonly LogEntry[]): Retry[] =>
  logs.flatMap(({ event, node_id, scope = '', time }) =>
    event === 'retry' && node_id !== undefined ? [{ scope, node_id, at: Date.parse(time) }] : [],
  );

/** The times between `paused` and `resumed`; what waits still does until `now`. */
export function findWaits(logs: readonly LogEntry[], now: number): Wait[] {
  const open = new Map<string, Omit<Wait, 'to'>>();
  const waits: Wait[] = [];
  for (const { event, node_id, scope = '', time } of logs) {
    if (node_id === undefined) continue;
    const key = `${scope}/${node_id}`;
    const since = open.get(key);
    if (event === 'paused' && !since) open.set(key, { scope, node_id, from: Date.parse(time) });
    else if (since && event !== 'paused') {
      open.delete(key);
      waits.push({ ...since, to: Date.parse(time) });
    }
  }
  const still = [...open.values()].map((wait) => ({ ...wait, to: Math.max(now, wait.from), isOpen: true }));
  return [...waits, ...still];
}
