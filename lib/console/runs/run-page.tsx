// One run: what it is, why it failed or what it waits for, and what its nodes did, as they do it.
import { Tabs } from '@base-ui/react/tabs';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useParams } from 'wouter';
import type { NodeVisit } from '#lib/run/visited-path.ts';
import { call } from '../api/client.ts';
import { useFilters } from '../parts/filters.ts';
import { formatCost } from '../parts/format.ts';
import { Loading, Unread } from '../parts/list-state.tsx';
import { Page } from '../parts/page.tsx';
import { useSession } from '../shell/session.tsx';
import { AnswerForms, Needs } from './answer-form.tsx';
import { CancelButton } from './cancel-button.tsx';
import { useFollowedRun } from './follow-run.ts';
import { ForkRun } from './fork-run.tsx';
import { LogView } from './log-view.tsx';
import type { RunDetail } from './queries.ts';
import { OutputPanel, RawView } from './raw-view.tsx';
import { isOver, joinLogs, readVisits } from './run-events.ts';
import { RunFacts } from './run-facts.tsx';
import { RunInput } from './run-input.tsx';
import styles from './run-page.module.css';
import { Timeline } from './timeline.tsx';
import { visitKey } from './timeline-rows.ts';
import { executionId, type Used, VisitPanel } from './visit-panel.tsx';
import { words } from './words.ts';

/** Pictures are not loaded before somebody looks at one. */
const RunFlow = lazy(async () => ({ default: (await import('./run-flow.tsx')).RunFlow }));

const viewFilter = ['view'] as const;

export function RunPage() {
  const { run: id = '' } = useParams();
  const query = useQuery({
    queryKey: ['run', id],
    queryFn: ({ signal }) => call('getRunDetail', { params: { workflow_id: id } }, { signal }),
  });
  if (query.data) return <LoadedRun key={id} run={query.data} />;
  return (
    <Page title={words.run}>
      {query.error ? (
        <Unread
          error={query.error}
          onRetry={() => void query.refetch()}
          icon="runs"
          title={words.noRun}
          text={words.noRunText}
          back={{ href: '/runs', label: words.allRuns }}
        />
      ) : (
        <Loading />
      )}
    </Page>
  );
}

function LoadedRun({ run }: { run: RunDetail }) {
  const { live, connection } = useFollowedRun(run.workflow_id, isOver(run.status));
  // What was read after the run has ended is the last word.
  const status = isOver(run.status) ? run.status : (live.status ?? run.status);
  const logs = useMemo(() => joinLogs(run.logs, live), [run.logs, live]);
  const visits = useMemo(() => (isOver(run.status) ? run.path : readVisits(logs)), [run, logs]);
  const { may } = useSession();
  const [chosen, choose] = useState<string>();
  const [forked, fork] = useState<string>();
  const mayFork = may('runs:inspect') && may('assistants.flows:run');
  const { filters, setFilter } = useFilters(viewFilter);
  const shown = visits.find((visit) => visitKey(visit) === chosen);
  const showFailed = () => {
    const failed = visits.findLast((visit) => visit.node_id === run.failure?.node_id);
    choose(failed && visitKey(failed));
  };
  const showInFlow = () => {
    setFilter('view', 'flow');
    showFailed();
  };
  return (
    <Page title={run.flowid} aside={isOver(status) ? undefined : <CancelButton run={run} />}>
      <RunFacts run={run} status={status} connection={connection} />
      {status === 'failed' && <RunError run={run} onShow={showFailed} onShowInFlow={showInFlow} />}
      {status === 'input_required' && <AnswerForms run={run} />}
      {status === 'auth_required' && run.needs && <Needs needs={run.needs} run={run.workflow_id} />}
      <div className={`${styles.split} ${shown ? styles.withPanel : ''}`}>
        <Tabs.Root
          className={styles.panel}
          value={filters.view ?? 'timeline'}
          onValueChange={(view) => setFilter('view', view === 'timeline' ? '' : String(view))}
        >
          <Tabs.List className={styles.tabs} aria-label={words.views}>
            {(['timeline', 'flow', 'log', 'raw'] as const).map((view) => (
              <Tabs.Tab key={view} value={view} className={styles.tab}>
                {view === 'flow' ? words.flowView : words[view]}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value="timeline">
            <Timeline
              visits={visits}
              logs={logs}
              chosen={chosen}
              onChoose={choose}
              endedAt={isOver(status) ? Date.parse(run.ended_at ?? run.updated_at) : undefined}
              onFork={mayFork ? (visit) => fork(executionId(visit)) : undefined}
            />
          </Tabs.Panel>
          <Tabs.Panel value="flow">
            <Suspense fallback={<Loading />}>
              <RunFlow
                build={run.a2aregistryid}
                status={status}
                visits={visits}
                logs={logs}
                shown={shown}
                onChoose={choose}
              />
            </Suspense>
          </Tabs.Panel>
          <Tabs.Panel value="log">
            <LogView logs={logs} />
          </Tabs.Panel>
          <Tabs.Panel value="raw">
            <RawView run={run} />
          </Tabs.Panel>
        </Tabs.Root>
        {shown && (
          <VisitPanel
            visit={shown}
            logs={logs}
            text={live.texts.get(shown.node_id)}
            used={usedBy(run, shown)}
            forkOf={run.fork_of}
            onClose={() => choose(undefined)}
          />
        )}
      </div>
      <ForkRun run={run} execution={forked} onClose={() => fork(undefined)} />
      {may('runs:inspect') && <RunInput run={run} />}
      {status === 'completed' && <OutputPanel run={run} />}
    </Page>
  );
}

/** Tokens and cost from one place, so that they are of the same calls. What is read of a run has them, its events do not. */
function usedBy({ path, currency }: RunDetail, shown: NodeVisit): Used {
  const { tokens, cost_estimate: cost } = path.find((visit) => visitKey(visit) === visitKey(shown)) ?? {};
  return { tokens, cost: cost === undefined ? undefined : formatCost(cost, currency) };
}

interface RunErrorProps {
  readonly run: RunDetail;
  readonly onShow: () => void;
  readonly onShowInFlow: () => void;
}

/** The first thing that a person wants to know of a run that failed. */
function RunError({ run: { failure, error }, onShow, onShowInFlow }: RunErrorProps) {
  return (
    <section className={styles.error} aria-label={words.failed}>
      <h2>{failure?.message ?? error ?? words.failed}</h2>
      <p className={styles.errorFacts}>
        {failure && <code>{failure.code}</code>}
        {failure?.node_id && (
          <>
            <span>{words.failedAt}</span>
            <button type="button" className={styles.link} onClick={onShow}>
              {failure.node_id}
            </button>
            <button type="button" className={styles.link} onClick={onShowInFlow}>
              {words.showInFlow}
            </button>
          </>
        )}
      </p>
    </section>
  );
}
