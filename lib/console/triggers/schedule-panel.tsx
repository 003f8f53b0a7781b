// When a schedule runs: in words, and its next times in its zone.
import { Failure, Loading } from '../parts/list-state.tsx';
import { Panel } from '../parts/page.tsx';
import { type NextRuns, useNextRuns } from './queries.ts';
import { describeSchedule, formatInZone } from './schedule-words.ts';
import type { Trigger } from './trigger-body.ts';
import styles from './trigger-page.module.css';
import { words } from './words.ts';

interface SchedulePanelProps {
  readonly trigger: Trigger;
  readonly schedule: NonNullable<Trigger['schedule']>;
}

export function SchedulePanel({ trigger, schedule }: SchedulePanelProps) {
  const { data, error, refetch } = useNextRuns(trigger);
  return (
    <Panel title={words.schedule}>
      <div className={styles.body}>
        <p className={styles.sentence}>{describeSchedule(schedule)}</p>
        {schedule.cron !== undefined && <code>{schedule.cron}</code>}
        {data?.last_skipped && <p role="note">{describeSkipped(data.last_skipped, schedule.timezone)}</p>}
        <h3>{words.next}</h3>
        {error && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Loading />}
        {data && data.items.length === 0 && <p className={styles.soft}>{words.nextNone}</p>}
        <ol className={styles.times} aria-label={words.next}>
          {data?.items.map((time) => (
            <li key={time}>
              <time dateTime={time}>{formatInZone(time, schedule.timezone)}</time>
              <span className={styles.soft}>{time.replace('.000Z', 'Z')}</span>
            </li>
          ))}
        </ol>
      </div>
    </Panel>
  );
}

function describeSkipped(
  { from, until, reason }: NonNullable<NextRuns['last_skipped']>,
  timezone: string,
): string {
  if (reason === 'budget_exhausted') return words.skippedByBudget(formatInZone(from, timezone));
  return words.skipped(formatInZone(from, timezone), formatInZone(until, timezone));
}
