// A run in a short list: its flow, which leads to it, its status and when it began.
import { Link } from 'wouter';
import { Status } from '../parts/status.tsx';
import { Ago } from '../parts/time.tsx';
import type { RunSummary } from './queries.ts';
import styles from './run-line.module.css';

interface RunLineProps {
  readonly run: Pick<RunSummary, 'workflow_id' | 'flowid' | 'status' | 'created_at'>;
}

export const RunLine = ({ run: { workflow_id, flowid, status, created_at } }: RunLineProps) => (
  <>
    <Link href={`/runs/${workflow_id}`} data-row>
      {flowid}
    </Link>
    <Status status={status} />
    <span className={styles.began}>
      <Ago time={created_at} />
    </span>
  </>
);
