// What a person wants to know first: what is live, what has happened lately, what waits for them, and what failed.
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useRef } from 'react';
import { Link } from 'wouter';
import { type CallOutput, call } from '../api/client.ts';
import { Empty, Failure, Loading } from '../parts/list-state.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Status, statusLabel, statusTone } from '../parts/status.tsx';
import { useFailedRuns, useWaitingRuns } from '../runs/found-runs.ts';
import { type RunSummary, useLatestRuns } from '../runs/queries.ts';
import { RunLine } from '../runs/run-line.tsx';
import { useSession } from '../shell/session.tsx';
import styles from './home-page.module.css';
import { RunCounts } from './run-counts.tsx';
import { words } from './words.ts';

/** Loaded for those who have no run yet. */
const FirstMessage = lazy(async () => ({
  default: (await import('../playground/first-message.tsx')).FirstMessage,
}));

/** Loaded for those who see nothing else. */
const CallableAgents = lazy(async () => ({
  default: (await import('../playground/callable-agents.tsx')).CallableAgents,
}));

const recentMax = 50;
const listedMax = 6;

export function HomePage() {
  const { may } = useSession();
  return may('assistants.flows:read') ? <Overview /> : <CallerHome />;
}

/** For those who may call agents, and see nothing else. */
const CallerHome = () => (
  <Page title={words.home} lead={words.callAgentsText}>
    <Suspense fallback={<Loading />}>
      <CallableAgents />
    </Suspense>
  </Page>
);

function Overview() {
  const recent = useLatestRuns({}, recentMax);
  const runs = recent.data?.items ?? [];
  const waiting = useWaitingRuns(listedMax);
  const failed = useFailedRuns(listedMax);
  const agents = useLiveAgents();
  // It stays until the page is left: the first message makes the first run.
  const isNew = useRef(false);
  if (recent.isSuccess && runs.length === 0) isNew.current = true;
  const [agent] = agents.items;
  return (
    <Page title={words.home} lead={words.lead}>
      {recent.error && <Failure error={recent.error} onRetry={() => void recent.refetch()} />}
      {recent.isPending && <Loading />}
      {isNew.current && agent && (
        <Suspense fallback={<Loading />}>
          <FirstMessage row={agent} />
        </Suspense>
      )}
      {recent.isSuccess && (runs.length > 0 || agents.isEmpty) && (
        <>
          <Panel title={words.recent} aside={<Link href="/runs">{words.allRuns}</Link>}>
            <Strip runs={runs} />
            {runs.length > 0 && <RunCounts />}
          </Panel>
          <div className={styles.columns}>
            <Panel title={words.waiting} aside={<Link href="/inbox">{words.inbox}</Link>}>
              <RunList query={waiting} none={words.nothingWaits} />
            </Panel>
            <Panel title={words.failed} aside={<Link href="/runs?status=failed">{words.allFailed}</Link>}>
              <RunList query={failed} none={words.nothingFailed} />
            </Panel>
          </div>
        </>
      )}
      <LiveAgents agents={agents} />
    </Page>
  );
}

/** One mark for each run, the newest last, as time goes on from left to right. */
function Strip({ runs }: { runs: readonly RunSummary[] }) {
  if (runs.length === 0)
    return (
      <Empty icon="runs" title={words.noRuns}>
        {words.noRunsText}
      </Empty>
    );
  return (
    <ol className={styles.strip}>
      {runs.toReversed().map(({ workflow_id, flowid, status }) => (
        <li key={workflow_id}>
          <Link
            href={`/runs/${workflow_id}`}
            className={`${styles.mark} ${styles[statusTone(status)]}`}
            title={words.run(flowid, statusLabel(status))}
            aria-label={words.run(flowid, statusLabel(status))}
          />
        </li>
      ))}
    </ol>
  );
}

interface RunListProps {
  readonly query: ReturnType<typeof useWaitingRuns>;
  readonly none: string;
}

function RunList({ query: { data, error, refetch }, none }: RunListProps) {
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  const { runs, hasMore, isPartial } = data;
  return (
    <>
      {runs.length === 0 && !isPartial && <p className={styles.none}>{none}</p>}
      <ul className={styles.list}>
        {runs.map((run) => (
          <li key={run.workflow_id} className={styles.item}>
            <RunLine run={run} />
          </li>
        ))}
      </ul>
      {hasMore && <p className={styles.none}>{words.more(runs.length)}</p>}
      {isPartial && <p className={styles.none}>{words.olderUnknown}</p>}
    </>
  );
}

type RegistryRow = Extract<CallOutput<'listRegistryRows'>, { items: unknown }>['items'][number];

function useLiveAgents() {
  const { workspaceid } = useSession();
  const query = useQuery({
    queryKey: ['live-agents', workspaceid],
    queryFn: ({ signal }) =>
      call('listRegistryRows', { query: { workspaceid, status: ['live'], limit: '24' } }, { signal }),
  });
  const items: readonly RegistryRow[] = query.data && 'items' in query.data ? query.data.items : [];
  return { query, items, isEmpty: query.isSuccess && items.length === 0 };
}

function LiveAgents({ agents: { query, items, isEmpty } }: { agents: ReturnType<typeof useLiveAgents> }) {
  return (
    <Panel title={words.agents}>
      {query.error && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Loading />}
      {isEmpty && (
        <Empty icon="agents" title={words.noAgents}>
          {words.noAgentsText}
        </Empty>
      )}
      {items.length > 0 && (
        <ul className={styles.cards}>
          {items.map((row) => (
            <AgentCard key={row.a2aregistryid} row={row} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function AgentCard({ row: { flowid, build_no, agent_card } }: { row: RegistryRow }) {
  return (
    <li className={styles.card}>
      <div className={styles.cardHead}>
        <Link href={`/agents/${encodeURIComponent(flowid)}`}>{agent_card.name}</Link>
        <Status status="live" />
      </div>
      <p className={styles.soft}>{agent_card.description}</p>
      <p className={styles.meta}>
        <Link href={`/runs?flowid=${encodeURIComponent(flowid)}`}>{flowid}</Link>
        {` · build ${build_no} · ${words.skills(agent_card.skills.length)}`}
      </p>
      <p className={styles.meta}>
        <Link href={`/playground?flowid=${encodeURIComponent(flowid)}&build=live`}>
          {words.talk(agent_card.name)}
        </Link>
      </p>
    </li>
  );
}
