// The bar of an execution on the axis of time, for the eye: the row says the same in words.
import { Icon } from '../parts/icon.tsx';
import { statusTone } from '../parts/status.tsx';
import type { Gap } from './time-axis.ts';
import type { Share, TimelineRow, VisitRow } from './timeline-rows.ts';
import styles from './track.module.css';
import { words } from './words.ts';

/** Waits are hatched, and each attempt that failed is a tick; outside of the range, an arrow towards the execution. */
export function Track({ row, gaps }: { readonly row: VisitRow; readonly gaps: readonly Gap[] }) {
  const { visit, outside } = row;
  const text = [
    visit.duration_ms === undefined ? words.notFinished : '',
    outside ? words.outside[outside] : '',
  ];
  return (
    <span role="gridcell" className={styles.track}>
      <span className="visually-hidden">{text.filter(Boolean).join(', ')}</span>
      {gaps.map((gap) => (
        <span key={gap.from} aria-hidden="true" className={styles.gap} style={toStyle(gap)} />
      ))}
      {outside ? (
        <span aria-hidden="true" className={`${styles.outside} ${styles[outside]}`}>
          <Icon name={outside === 'before' ? 'earlier' : 'later'} size={14} />
        </span>
      ) : (
        <Bar row={row} />
      )}
    </span>
  );
}

const Bar = ({ row }: { readonly row: VisitRow }) => (
  <span aria-hidden="true">
    <span className={`${styles.bar} ${styles[statusTone(row.visit.status)]}`} style={toStyle(row)} />
    {row.waits.map((wait) => (
      <span key={wait.from} className={styles.wait} style={toStyle(wait)} />
    ))}
    {row.retries.map((share, n) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: attempts that failed within a millisecond are at one place.
      <span key={n} className={styles.retry} style={{ insetInlineStart: `${share * 100}%` }} />
    ))}
  </span>
);

const toStyle = ({ from, width }: Share) => ({
  insetInlineStart: `${from * 100}%`,
  inlineSize: `${width * 100}%`,
});

/** What hatches and ticks mean, where there are any. */
export function Legend({ rows }: { readonly rows: readonly TimelineRow[] }) {
  const visits = rows.filter((row) => row.kind === 'visit');
  const signs = [
    visits.some(({ waitedMs }) => waitedMs > 0) && ([styles.wait, words.waiting] as const),
    visits.some(({ retryCount }) => retryCount > 0) && ([styles.retry, words.retry] as const),
  ].filter((sign) => sign !== false);
  if (signs.length === 0) return null;
  return (
    <ul className={styles.legend}>
      {signs.map(([sign, text]) => (
        <li key={text}>
          <span aria-hidden="true" className={styles.sign}>
            <span className={sign} />
          </span>
          {text}
        </li>
      ))}
    </ul>
  );
}
