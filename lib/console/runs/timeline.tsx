// The executions of nodes on an axis of time: a grid with text, beside bars that only repeat it for the eye.
import { type KeyboardEvent, useMemo, useState } from 'react';
import type { NodeVisit } from '#lib/run/visited-path.ts';
import buttons from '../parts/button.module.css';
import { formatCount, formatDuration } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { Empty } from '../parts/list-state.tsx';
import { Status, statusTone } from '../parts/status.tsx';
import { useNow } from '../parts/time.tsx';
import { words as common } from '../parts/words.ts';
import styles from './timeline.module.css';
import { type TimelineRow, toRows, visibleRows } from './timeline-rows.ts';
import { words } from './words.ts';

interface TimelineProps {
  readonly visits: readonly NodeVisit[];
  readonly chosen: string | undefined;
  readonly onChoose: (key: string) => void;
  readonly isLive: boolean;
}

const pageSize = 200;

export function Timeline({ visits, chosen, onChoose, isLive }: TimelineProps) {
  const now = useNow(isLive ? 500 : 60_000);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [max, setMax] = useState(pageSize);
  const rows = useMemo(() => visibleRows(toRows(visits, now), closed), [visits, now, closed]);
  if (visits.length === 0)
    return (
      <Empty icon="runs" title={words.noNodes}>
        {words.noNodesText}
      </Empty>
    );
  const toggle = (key: string, isClosed: boolean) =>
    setClosed((before) => {
      const next = new Set(before);
      if (isClosed) next.add(key);
      else next.delete(key);
      return next;
    });
  return (
    <>
      <div role="treegrid" aria-label={words.timeline} aria-rowcount={rows.length} className={styles.grid}>
        {rows.slice(0, max).map((row, index) => (
          <Row
            key={row.key}
            row={row}
            isChosen={row.key === chosen}
            isStop={chosen === undefined ? index === 0 : row.key === chosen}
            isClosed={closed.has(row.key)}
            onChoose={() => onChoose(row.key)}
            onToggle={(isClosed) => toggle(row.key, isClosed)}
          />
        ))}
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

interface RowProps {
  readonly row: TimelineRow;
  readonly isChosen: boolean;
  /** Whether Tab reaches the row; the arrow keys go on from there. */
  readonly isStop: boolean;
  readonly isClosed: boolean;
  readonly onChoose: () => void;
  readonly onToggle: (isClosed: boolean) => void;
}

function Row({ row, isChosen, isStop, isClosed, onChoose, onToggle }: RowProps) {
  const { visit, level, hasChildren, from, width } = row;
  const { node_id, node_type, scope, status, duration_ms } = visit;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === 'Enter' || event.key === ' ') onChoose();
    else if (event.key === 'ArrowRight' && hasChildren) onToggle(false);
    else if (event.key === 'ArrowLeft' && hasChildren) onToggle(true);
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
              onToggle(!isClosed);
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
        </span>
      </span>
      <span role="gridcell">
        <Status status={status} />
      </span>
      <span role="gridcell" className={styles.duration}>
        {duration_ms === undefined ? '…' : formatDuration(duration_ms)}
      </span>
      <span role="gridcell" className={styles.track}>
        <span className="visually-hidden">{duration_ms === undefined ? words.notFinished : ''}</span>
        <span
          aria-hidden="true"
          className={`${styles.bar} ${styles[statusTone(status)]}`}
          style={{ insetInlineStart: `${from * 100}%`, inlineSize: `${width * 100}%` }}
        />
      </span>
    </div>
  );
}

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
