// The executions of nodes on an axis of time: a grid with text, beside bars that only repeat it for the eye.
import { type KeyboardEvent, useMemo, useState } from 'react';
import type { NodeVisit } from '#lib/run/visited-path.ts';
import buttons from '../parts/button.module.css';
import { useFilters } from '../parts/filters.ts';
import { formatCount, formatDuration } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { Empty } from '../parts/list-state.tsx';
import { Status } from '../parts/status.tsx';
import { useNow } from '../parts/time.tsx';
import { words as common } from '../parts/words.ts';
import { forkWords } from './fork-words.ts';
import { findStep, RangeBar } from './range-bar.tsx';
import type { LogEntry } from './run-events.ts';
import type { Gap } from './time-axis.ts';
import { changeRange, formatRange, isUseless, parseRange, type RangeStep } from './time-range.ts';
import styles from './timeline.module.css';
import {
  findRetries,
  findWaits,
  itemsPerPage,
  listRows,
  type MoreRow,
  stretchOf,
  type VisitRow,
  visitKey,
} from './timeline-rows.ts';
import { Legend, Track } from './track.tsx';
import { words } from './words.ts';

interface TimelineProps {
  readonly visits: readonly NodeVisit[];
  readonly logs: readonly LogEntry[];
  readonly chosen: string | undefined;
  readonly onChoose: (key: string) => void;
  /** In ms since 1970; undefined until the run ends. */
  readonly endedAt: number | undefined;
  /** Undefined for those who may not fork the run. */
  readonly onFork: ((visit: NodeVisit) => void) | undefined;
}

const pageSize = 200;
const rangeFilter = ['range'] as const;

export function Timeline({ visits, logs, chosen, onChoose, endedAt, onFork }: TimelineProps) {
  const clock = useNow(endedAt === undefined ? 500 : 60_000);
  const now = endedAt ?? clock;
  const isCut = logs.some(({ event }) => event === 'truncated');
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [pages, setPages] = useState<ReadonlyMap<string, number>>(new Map());
  const [max, setMax] = useState(pageSize);
  const { filters, setFilter } = useFilters(rangeFilter);
  const range = useMemo(() => parseRange(filters.range), [filters.range]);
  const { rows, gaps, span, whole } = useMemo(
    () =>
      listRows(visits, {
        now,
        toggled,
        pages,
        waits: findWaits(logs, now),
        retries: findRetries(logs),
        range,
        isCut,
      }),
    [visits, logs, now, toggled, pages, range, isCut],
  );
  if (visits.length === 0)
    return (
      <Empty icon="runs" title={words.noNodes}>
        {words.noNodesText}
      </Empty>
    );
  const toggle = (key: string) =>
    setToggled((before) => {
      const next = new Set(before);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  const openPage = (key: string) =>
    setPages((before) => new Map([...before, [key, (before.get(key) ?? 1) + 1]]));
  const stop = rows.some(({ key }) => key === chosen) ? chosen : rows[0]?.key;
  const focus = visits.find((visit) => visitKey(visit) === chosen);
  const steps = { span, whole, range, focus: focus && stretchOf(focus, now) };
  const takeStep = (step: RangeStep) => setFilter('range', formatRange(changeRange(step, steps)));
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = findStep(event);
    if (step === undefined) return;
    event.preventDefault();
    takeStep(step);
  };
  return (
    <>
      <RangeBar
        range={range}
        ms={span.to - span.from}
        isUseless={(step) => isUseless(step, steps)}
        onStep={takeStep}
        onKeyDown={onKeyDown}
      />
      {isCut && <p className={styles.shortened}>{words.cut}</p>}
      {gaps.length > 0 && (
        <p className={styles.shortened}>{words.idle(gaps.map(({ ms }) => formatDuration(ms)))}</p>
      )}
      <Legend rows={rows} />
      <div
        role="treegrid"
        aria-label={words.timeline}
        aria-rowcount={rows.length}
        className={styles.grid}
        onKeyDown={onKeyDown}
      >
        {rows
          .slice(0, max)
          .map((row) =>
            row.kind === 'visit' ? (
              <Row
                key={row.key}
                row={row}
                gaps={gaps}
                isChosen={row.key === chosen}
                isStop={row.key === stop}
                onChoose={() => onChoose(row.key)}
                onFork={onFork && isPlace(row.visit) ? () => onFork(row.visit) : undefined}
                onToggle={() => toggle(row.key)}
              />
            ) : (
              <More key={`${row.key} more`} row={row} onOpen={() => openPage(row.key)} />
            ),
          )}
      </div>
      {rows.length > max && (
        <div className={styles.more}>
          <button type="button" className={buttons.button} onClick={() => setMax(max + pageSize)}>
            {common.more} ({formatCount(rows.length - max)})
          </button>
        </div>
      )}
    </>
  );
}

const More = ({ row: { hidden, level }, onOpen }: { row: MoreRow; onOpen: () => void }) => (
  <div role="row" aria-level={level} className={styles.moreItems}>
    <span role="gridcell">
      <button type="button" className={buttons.button} onClick={onOpen}>
        {words.moreItems(Math.min(hidden, itemsPerPage), hidden)}
      </button>
    </span>
  </div>
);

interface RowProps {
  readonly row: VisitRow;
  readonly gaps: readonly Gap[];
  readonly isChosen: boolean;
  /** Whether Tab reaches the row; the arrow keys go on from there. */
  readonly isStop: boolean;
  readonly onChoose: () => void;
  readonly onFork: (() => void) | undefined;
  readonly onToggle: () => void;
}

function Row({ row, gaps, isChosen, isStop, onChoose, onFork, onToggle }: RowProps) {
  const { visit, level, hasChildren, isClosed, items } = row;
  const { node_id, node_type, scope, status, duration_ms } = visit;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    // With Shift, the arrow keys move the range that is shown.
    if (event.shiftKey) return;
    if (event.key === 'Enter' || event.key === ' ') onChoose();
    else if (event.key === 'ArrowRight' && hasChildren && isClosed) onToggle();
    else if (event.key === 'ArrowLeft' && hasChildren && !isClosed) onToggle();
    else if (!moveFocus(event)) return;
    event.preventDefault();
  };
  return (
    <div
      role="row"
      data-row
      aria-level={level}
      aria-selected={isChosen}
      {...(hasChildren && { 'aria-expanded': !isClosed })}
      tabIndex={isStop ? 0 : -1}
      className={styles.row}
      onClick={onChoose}
      onKeyDown={onKeyDown}
    >
      <span role="gridcell" className={styles.name} style={{ paddingInlineStart: (level - 1) * 18 }}>
        {hasChildren && (
          <button
            type="button"
            tabIndex={-1}
            aria-label={isClosed ? words.open : words.fold}
            className={`${styles.fold} ${isClosed ? styles.closed : ''}`}
            onClick={(event) => {
              event.stopPropagation();
              onToggle();
            }}
          >
            <Icon name="chevron" size={14} />
          </button>
        )}
        <span className={styles.node}>{node_id}</span>
        <span className={styles.soft}>
          {node_type}
          {scope && ` · ${scope}`}
          {visit.visit > 1 && ` · ${visit.visit}`}
          {items && ` · ${words.items(items)}`}
          {visit.reused && ` · ${forkWords.reused}`}
          {row.waitedMs > 0 && ` · ${words.waitedFor(formatDuration(row.waitedMs))}`}
          {row.retryCount > 0 && ` · ${words.retries(row.retryCount)}`}
        </span>
        {onFork && <ForkButton visit={visit} isStop={isStop} onFork={onFork} />}
      </span>
      <span role="gridcell">
        <Status status={row.isWaiting ? 'waiting' : status} />
      </span>
      <span role="gridcell" className={styles.duration}>
        {duration_ms === undefined ? '…' : formatDuration(duration_ms)}
      </span>
      <Track row={row} gaps={gaps} />
    </div>
  );
}

/** A run is forked outside of other nodes, where it has executed a node itself. */
const isPlace = ({ scope, reused }: NodeVisit) => scope === undefined && !reused;

interface ForkButtonProps extends Pick<RowProps, 'isStop'> {
  readonly visit: NodeVisit;
  readonly onFork: () => void;
}

const ForkButton = ({ visit: { node_id, visit }, isStop, onFork }: ForkButtonProps) => (
  <button
    type="button"
    tabIndex={isStop ? 0 : -1}
    aria-label={forkWords.forkAt(`${node_id}.${visit}`)}
    className={styles.fork}
    onClick={(event) => {
      event.stopPropagation();
      onFork();
    }}
    // The keys of the row choose it.
    onKeyDown={(event) => event.stopPropagation()}
  >
    {forkWords.fork}
  </button>
);

/** True if the key moves the focus between rows. */
function moveFocus({ key, currentTarget }: KeyboardEvent<HTMLElement>): boolean {
  const targets: Readonly<Record<string, Element | null | undefined>> = {
    ArrowDown: currentTarget.nextElementSibling,
    ArrowUp: currentTarget.previousElementSibling,
    Home: currentTarget.parentElement?.firstElementChild,
    End: currentTarget.parentElement?.lastElementChild,
  };
  if (!(key in targets)) return false;
  const target = targets[key];
  if (target instanceof HTMLElement) target.focus();
  return true;
}
