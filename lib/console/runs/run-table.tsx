// The rows of a list of runs. Only those that are in sight are in the document.
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { formatDuration } from '../parts/format.ts';
import { LoadMore } from '../parts/list-state.tsx';
import { Status } from '../parts/status.tsx';
import { Ago } from '../parts/time.tsx';
import { useCallerName } from './caller-name.ts';
import type { RunSummary, useRuns } from './queries.ts';
import styles from './run-table.module.css';
import { words } from './words.ts';

interface RunTableProps {
  readonly runs: readonly RunSummary[];
  readonly query: ReturnType<typeof useRuns>['query'];
}

/** A row is as high as its flow id needs, and never lower. */
const rowHeight = 45;

export function RunTable({ runs, query }: RunTableProps) {
  const nameOf = useCallerName();
  const list = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useEffect(() => setTop(list.current?.offsetTop ?? 0), []);
  const virtual = useWindowVirtualizer({
    count: runs.length,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: top,
  });
  return (
    <div role="table" aria-label={words.runs} aria-rowcount={runs.length + 1} className={styles.table}>
      <div role="row" aria-rowindex={1} className={styles.head}>
        {[
          words.flow,
          words.status,
          words.environment,
          words.trigger,
          words.caller,
          words.started,
          words.duration,
        ].map((name) => (
          <span role="columnheader" key={name}>
            {name}
          </span>
        ))}
      </div>
      <div ref={list} role="rowgroup" className={styles.rows} style={{ blockSize: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const run = runs[index];
          const place = { index, offset: start - top, measure: virtual.measureElement, nameOf };
          return run ? <Row key={run.workflow_id} run={run} {...place} /> : null;
        })}
      </div>
      <LoadMore query={query} />
    </div>
  );
}

interface RowProps {
  readonly run: RunSummary;
  readonly index: number;
  readonly offset: number;
  readonly nameOf: ReturnType<typeof useCallerName>;
  readonly measure: (element: HTMLElement | null) => void;
}

function Row({ run, index, offset, nameOf, measure }: RowProps) {
  const { workflow_id, flowid, build_no, status, environment, trigger, created_at, ended_at } = run;
  const caller = nameOf(run);
  return (
    <div
      ref={measure}
      data-index={index}
      role="row"
      aria-rowindex={index + 2}
      className={styles.row}
      style={{ transform: `translateY(${offset}px)` }}
    >
      <span role="cell" className={styles.flow}>
        <Link href={`/runs/${workflow_id}`} data-row>
          {flowid}
        </Link>
        {build_no !== undefined && <span className={styles.soft}>{words.buildNo(build_no)}</span>}
      </span>
      <span role="cell">
        <Status status={status} />
      </span>
      <span role="cell" className={styles.wide}>
        {environment}
      </span>
      <span role="cell" className={styles.wide}>
        {trigger}
      </span>
      <span role="cell" className={styles.wide} title={run.created_by ?? caller}>
        {caller}
      </span>
      <span role="cell" className={styles.time}>
        <Ago time={created_at} />
      </span>
      <span role="cell" className={styles.wide}>
        {ended_at === undefined ? '–' : formatDuration(Date.parse(ended_at) - Date.parse(created_at))}
      </span>
    </div>
  );
}
