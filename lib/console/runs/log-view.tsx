// The log of a run, filtered by level and node. The newest entry stays in sight until somebody scrolls up.
import { useEffect, useMemo, useRef, useState } from 'react';
import fields from '../parts/field.module.css';
import { formatClock } from '../parts/format.ts';
import { Empty } from '../parts/list-state.tsx';
import styles from './log-view.module.css';
import type { LogEntry } from './run-events.ts';
import { words } from './words.ts';

const levels = ['info', 'warn', 'error'] as const;

export function LogView({ logs }: { logs: readonly LogEntry[] }) {
  const [level, setLevel] = useState('');
  const [node, setNode] = useState('');
  const nodes = useMemo(() => [...new Set(logs.flatMap(({ node_id }) => node_id ?? []))].sort(), [logs]);
  const list = useRef<HTMLOListElement>(null);
  const isAtEnd = useRef(true);
  const shown = logs.filter(
    (entry) => (level === '' || entry.level === level) && (node === '' || entry.node_id === node),
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each change of what is shown.
  useEffect(() => {
    if (isAtEnd.current) list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [shown.length]);
  return (
    <>
      <div className={styles.bar}>
        <select
          className={fields.input}
          aria-label={words.level}
          value={level}
          onChange={(event) => setLevel(event.target.value)}
        >
          <option value="">{words.allLevels}</option>
          {levels.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
        <select
          className={fields.input}
          aria-label={words.node}
          value={node}
          onChange={(event) => setNode(event.target.value)}
        >
          <option value="">{words.allNodes}</option>
          {nodes.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </div>
      {shown.length === 0 && <Empty icon="runs" title={words.noLog} />}
      <ol
        ref={list}
        className={styles.log}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
        tabIndex={0}
        aria-label={words.log}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          isAtEnd.current = scrollTop + clientHeight >= scrollHeight - 8;
        }}
      >
        {shown.map(({ seq, time, level: entryLevel, node_id, message }) => (
          <li key={seq} data-level={entryLevel}>
            <time dateTime={time}>{formatClock(time)}</time>
            <span>{entryLevel}</span>
            <span className={styles.node}>{node_id}</span>
            <span className={styles.message}>{message}</span>
          </li>
        ))}
      </ol>
    </>
  );
}
