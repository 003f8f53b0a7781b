// The run that a run repeats or forks, and those that repeat or fork it.
import { Link } from 'wouter';
import { forkWords } from './fork-words.ts';
import type { RunDetail } from './queries.ts';
import styles from './replays.module.css';
import { valueWords as words } from './value-words.ts';

export const Replays = ({
  run: { replay_of, replays = [], fork_of, fork_from = '', forks = [] },
}: {
  run: RunDetail;
}) => (
  <>
    {fork_of !== undefined && (
      <Runs title={forkWords.forkOf} ids={[fork_of]} note={forkWords.at(fork_from)} />
    )}
    {forks.length > 0 && <Runs title={forkWords.forks} ids={forks} />}
    {replay_of !== undefined && <Runs title={words.replayOf} ids={[replay_of]} />}
    {replays.length > 0 && <Runs title={words.replays} ids={replays} />}
  </>
);

interface RunsProps {
  readonly title: string;
  readonly ids: readonly string[];
  readonly note?: string;
}

const Runs = ({ title, ids, note }: RunsProps) => (
  <p className={styles.runs}>
    <span>{title}</span>
    {ids.map((id) => (
      <Link key={id} href={`/runs/${id}`}>
        <code>{id}</code>
      </Link>
    ))}
    {note !== undefined && <span>{note}</span>}
  </p>
);
