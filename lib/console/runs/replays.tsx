// The run that a run repeats, and those that repeat it.
import { Link } from 'wouter';
import type { RunDetail } from './queries.ts';
import styles from './replays.module.css';
import { valueWords as words } from './value-words.ts';

export const Replays = ({ run: { replay_of, replays = [] } }: { run: RunDetail }) => (
  <>
    {replay_of !== undefined && <Runs title={words.replayOf} ids={[replay_of]} />}
    {replays.length > 0 && <Runs title={words.replays} ids={replays} />}
  </>
);

const Runs = ({ title, ids }: { title: string; ids: readonly string[] }) => (
  <p className={styles.runs}>
    <span>{title}</span>
    {ids.map((id) => (
      <Link key={id} href={`/runs/${id}`}>
        <code>{id}</code>
      </Link>
    ))}
  </p>
);
