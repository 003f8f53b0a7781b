// The head of a run: its status, what was run, for how long, and what it cost.
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { formatCost, formatCount, formatDuration } from '../parts/format.ts';
import { Status } from '../parts/status.tsx';
import { Ago, useNow } from '../parts/time.tsx';
import { useCallerName } from './caller-name.ts';
import type { Connection } from './follow-run.ts';
import type { RunDetail } from './queries.ts';
import { isOver } from './run-events.ts';
import styles from './run-page.module.css';
import { words } from './words.ts';

interface RunFactsProps {
  readonly run: RunDetail;
  readonly status: string;
  readonly connection: Connection;
}

export function RunFacts({ run, status, connection }: RunFactsProps) {
  const {
    flowid,
    a2aregistryid,
    build_no,
    environment,
    trigger,
    created_at,
    tokens,
    cost_estimate,
    currency,
    replays = [],
    forks = [],
  } = run;
  const hasTokens = tokens.input + tokens.output > 0;
  return (
    <div className={styles.facts}>
      <div className={styles.state} role="status">
        <Status status={status} />
        {!isOver(status) && connection !== 'over' && <span className={styles.soft}>{words[connection]}</span>}
      </div>
      <dl className={styles.list}>
        <Fact name={words.run}>
          <code>{run.workflow_id}</code>
        </Fact>
        {build_no !== undefined && (
          <Fact name={words.build}>
            <Link href={`/agents/${encodeURIComponent(flowid)}/builds/${a2aregistryid}`}>{build_no}</Link>
          </Fact>
        )}
        <Fact name={words.environment}>{environment}</Fact>
        <Fact name={words.trigger}>{trigger}</Fact>
        <Fact name={words.caller}>
          <Caller run={run} />
        </Fact>
        <Fact name={words.started}>
          <Ago time={created_at} />
        </Fact>
        <Fact name={words.duration}>
          <Duration run={run} />
        </Fact>
        {hasTokens && (
          <Fact name={words.tokens}>
            {formatCount(tokens.input)} → {formatCount(tokens.output)}
          </Fact>
        )}
        {hasTokens && cost_estimate !== null && (
          <Fact name={words.cost}>{formatCost(cost_estimate, currency)}</Fact>
        )}
        {replays.length > 0 && (
          <Fact name={words.replays}>
            <RerunsLink by="replay_of" run={run} label={words.replaysOf} count={replays.length} />
          </Fact>
        )}
        {forks.length > 0 && (
          <Fact name={words.forks}>
            <RerunsLink by="fork_of" run={run} label={words.forksOf} count={forks.length} />
          </Fact>
        )}
      </dl>
    </div>
  );
}

function Caller({ run }: { run: RunDetail }) {
  const nameOf = useCallerName();
  const { created_by } = run;
  if (created_by === undefined) return nameOf(run);
  return (
    <Link href={`/runs?${new URLSearchParams({ created_by })}`} title={created_by}>
      {nameOf(run)}
    </Link>
  );
}

interface RerunsLinkProps {
  readonly by: 'replay_of' | 'fork_of';
  readonly run: RunDetail;
  readonly label: string;
  readonly count: number;
}

const RerunsLink = ({ by, run, label, count }: RerunsLinkProps) => (
  <Link href={`/runs?${new URLSearchParams({ [by]: run.workflow_id })}`} aria-label={label}>
    {formatCount(count)}
  </Link>
);

function Duration({ run: { duration_ms, waited_ms = 0, created_at } }: { run: RunDetail }) {
  const now = useNow(1_000);
  const ms = duration_ms ?? Math.max(0, now - Date.parse(created_at));
  return (
    <>
      {formatDuration(ms)}
      {waited_ms > 100 && (
        <span className={styles.soft}>
          {' '}
          ({formatDuration(waited_ms)} {words.waited})
        </span>
      )}
    </>
  );
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
