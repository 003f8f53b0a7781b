// What the events tell of one execution of a node: attempts, error, tokens, cost, host, and the text of its model.
import { Link, useParams } from 'wouter';
import type { NodeVisit } from '#lib/run/visited-path.ts';
import { formatClock, formatCount, formatDuration } from '../parts/format.ts';
import { Status } from '../parts/status.tsx';
import { ExecutionValues } from './execution-values.tsx';
import { forkWords } from './fork-words.ts';
import type { LogEntry } from './run-events.ts';
import { valueWords } from './value-words.ts';
import styles from './visit-panel.module.css';
import { words } from './words.ts';

/** What the models of the execution have used, as the run has recorded it. */
export interface Used {
  /** Undefined if it has called no model, or has not recorded it: as long as it runs, its log has what is known. */
  readonly tokens: NodeVisit['tokens'];
  /** With its currency; undefined also if one of the models has no price. */
  readonly cost: string | undefined;
}

interface VisitPanelProps {
  readonly visit: NodeVisit;
  readonly logs: readonly LogEntry[];
  readonly text: string | undefined;
  readonly used: Used;
  /** The run that this one forks. */
  readonly forkOf: string | undefined;
  readonly onClose: () => void;
}

export function VisitPanel({ visit, logs, text, used, forkOf, onClose }: VisitPanelProps) {
  const { run = '' } = useParams();
  const entries = entriesOf(visit, logs);
  const execution = executionId(visit);
  const isWaiting = visit.status === 'running' && entries.at(-1)?.event === 'paused';
  const retries = entries.filter(({ event }) => event === 'retry').length;
  const tokens = used.tokens ?? sumTokens(entries);
  const http = entries.findLast((entry) => entry.http)?.http;
  const facts: readonly (readonly [string, string | undefined])[] = [
    [words.type, visit.node_type],
    [words.scope, visit.scope],
    [words.visit, visit.visit > 1 ? String(visit.visit) : undefined],
    [words.duration, visit.duration_ms === undefined ? words.notFinished : formatDuration(visit.duration_ms)],
    [words.retriesOf, retries > 0 ? formatCount(retries) : undefined],
    [words.tokens, tokens && `${formatCount(tokens.input)} → ${formatCount(tokens.output)}`],
    [words.cost, used.cost],
    [words.host, http && `${http.host} (${http.status})`],
  ];
  return (
    <aside className={styles.panel} aria-label={words.details}>
      <header className={styles.head}>
        <h2>{visit.node_id}</h2>
        <button type="button" className={styles.close} onClick={onClose} aria-label={words.close}>
          ×
        </button>
      </header>
      <div className={styles.body}>
        <Status status={isWaiting ? 'waiting' : visit.status} />
        <dl className={styles.facts}>
          {facts.map(([name, value]) =>
            value === undefined ? null : (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
          )}
        </dl>
        <h3>{valueWords.title}</h3>
        {visit.reused ? (
          <p>
            {forkWords.reusedText} {forkOf && <Link href={`/runs/${forkOf}`}>{forkWords.otherRun}</Link>}
          </p>
        ) : (
          <ExecutionValues key={execution} workflow_id={run} execution={execution} />
        )}
        {text && (
          <>
            <h3>{words.streamed}</h3>
            <p className={styles.text}>{text}</p>
          </>
        )}
        <h3>{words.entries}</h3>
        <ol className={styles.entries}>
          {entries.map((entry) => (
            <li key={entry.seq} data-level={entry.level}>
              <span className={styles.soft}>{formatClock(entry.time)}</span> {entry.message}
            </li>
          ))}
        </ol>
      </div>
    </aside>
  );
}

/** Each turn of an agent, and each attempt, has an entry with its own. */
function sumTokens(entries: readonly LogEntry[]): LogEntry['tokens'] {
  const each = entries.flatMap(({ tokens }) => tokens ?? []);
  if (each.length === 0) return undefined;
  return each.reduce(
    (sum, { input, output }) => ({ input: sum.input + input, output: sum.output + output }),
    {
      input: 0,
      output: 0,
    },
  );
}

/** The id of an execution in the API. */
export const executionId = ({ scope, node_id, visit }: NodeVisit): string =>
  `${scope ? `${scope}.` : ''}${node_id}.${visit}`;

/** Those from the start of this visit to the start of the next. */
function entriesOf({ node_id, scope, visit }: NodeVisit, logs: readonly LogEntry[]): LogEntry[] {
  let seen = 0;
  return logs.filter((entry) => {
    if (entry.node_id !== node_id || (entry.scope ?? '') !== (scope ?? '')) return false;
    if (entry.event === 'started' || entry.event === 'reused') seen += 1;
    return seen === visit;
  });
}
