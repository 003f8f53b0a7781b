// The status of a run or of a node as a word, a shape and a colour.
import { Icon, type IconName } from './icon.tsx';
import styles from './status.module.css';

interface Look {
  readonly label: string;
  readonly icon: IconName;
  readonly tone: 'good' | 'bad' | 'wait' | 'busy' | 'idle';
}

const looks = {
  pending: { label: 'Pending', icon: 'working', tone: 'busy' },
  running: { label: 'Running', icon: 'working', tone: 'busy' },
  waiting: { label: 'Waiting', icon: 'waiting', tone: 'wait' },
  working: { label: 'Running', icon: 'working', tone: 'busy' },
  input_required: { label: 'Needs an answer', icon: 'question', tone: 'wait' },
  auth_required: { label: 'Needs a connection', icon: 'lock', tone: 'wait' },
  passed: { label: 'Passed', icon: 'done', tone: 'good' },
  completed: { label: 'Completed', icon: 'done', tone: 'good' },
  failed: { label: 'Failed', icon: 'failed', tone: 'bad' },
  rejected: { label: 'Rejected', icon: 'canceled', tone: 'idle' },
  canceled: { label: 'Canceled', icon: 'canceled', tone: 'idle' },
  live: { label: 'Live', icon: 'done', tone: 'good' },
  test: { label: 'Test', icon: 'waiting', tone: 'idle' },
  stored: { label: 'Stored', icon: 'done', tone: 'good' },
  refused: { label: 'Refused', icon: 'failed', tone: 'bad' },
  revoked: { label: 'Revoked', icon: 'canceled', tone: 'idle' },
  expired: { label: 'Expired', icon: 'waiting', tone: 'idle' },
  enabled: { label: 'Enabled', icon: 'done', tone: 'good' },
  disabled: { label: 'Disabled', icon: 'canceled', tone: 'idle' },
  ok: { label: 'Within the budget', icon: 'done', tone: 'good' },
  warning: { label: 'Nearly used up', icon: 'warning', tone: 'wait' },
  exhausted: { label: 'Exhausted', icon: 'failed', tone: 'bad' },
} as const satisfies Record<string, Look>;

export const statusLabel = (status: string): string => lookOf(status).label;
export const statusTone = (status: string): Look['tone'] => lookOf(status).tone;

const lookOf = (status: string): Look =>
  (looks as Readonly<Record<string, Look>>)[status] ?? { label: status, icon: 'waiting', tone: 'idle' };

export function Status({ status }: { status: string }) {
  const { label, icon, tone } = lookOf(status);
  return (
    <span className={`${styles.status} ${styles[tone]}`}>
      <Icon name={icon} size={14} />
      {label}
    </span>
  );
}
