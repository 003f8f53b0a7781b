// One build: what promoting it would change and the promotion, or the rollback of the live one; then what the build
// may do, and its history.
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link, useParams } from 'wouter';
import { type ReadBuild, useBuild } from '../api/use-build.ts';
import buttons from '../parts/button.module.css';
import { Loading, Unread } from '../parts/list-state.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Status } from '../parts/status.tsx';
import styles from './agent-page.module.css';
import { BuildFacts } from './build-facts.tsx';
import { BuildNames } from './build-names.tsx';
import { ChangedMeanwhile, type Seen } from './changed-meanwhile.tsx';
import { FlowView } from './flow-view.tsx';
import { HistoryList } from './history-list.tsx';
import { Promotion } from './promotion.tsx';
import { agentPath, editPath, useBuilds } from './queries.ts';
import { Rollback } from './rollback.tsx';
import { words } from './words.ts';

export function BuildPage() {
  const { flowid = '', build: id = '' } = useParams();
  const query = useBuild(id);
  if (query.data) return <LoadedBuild key={id} build={query.data} />;
  return (
    <Page title={words.build}>
      {query.error ? (
        <Unread
          error={query.error}
          onRetry={() => void query.refetch()}
          icon="agents"
          title={words.noSuchBuild}
          text={words.noSuchBuildText}
          back={{ href: agentPath(flowid), label: words.allBuilds }}
        />
      ) : (
        <Loading />
      )}
    </Page>
  );
}

function LoadedBuild({ build }: { build: ReadBuild }) {
  const { row } = build;
  const { flowid, a2aregistryid, agent_card, build_no, status } = row;
  const { builds } = useBuilds({ flowid: [flowid] });
  const numbers = useMemo(() => new Map(builds.map((each) => [each.a2aregistryid, each.build_no])), [builds]);
  const [seen, setSeen] = useState<Seen>();
  const queries = useQueryClient();
  /** Everything on the page is read again, and differences to what was seen are told. */
  const reread = async (before: Seen | undefined) => {
    await Promise.all(
      ['build', 'diff', 'history', 'builds', 'live-agents'].map((key) =>
        queries.invalidateQueries({ queryKey: [key] }),
      ),
    );
    setSeen(before);
  };
  return (
    <BuildNames value={numbers}>
      <Page
        title={words.titleOf(agent_card.name, build_no)}
        lead={
          <span className={styles.lead}>
            <Status status={status} /> <Link href={agentPath(flowid)}>{flowid}</Link>
          </span>
        }
        aside={
          <>
            <Link href={`/runs?${new URLSearchParams({ flowid, a2aregistryid })}`} className={buttons.button}>
              {words.runs}
            </Link>
            <Link href={editPath(flowid, a2aregistryid)} className={buttons.button}>
              {words.edit}
            </Link>
          </>
        }
      >
        {seen && <ChangedMeanwhile seen={seen} row={row} />}
        {status === 'test' ? (
          <Promotion build={build} onDone={reread} />
        ) : (
          <Rollback build={build} onDone={reread} />
        )}
        <FlowView id={a2aregistryid} />
        <Panel title={words.manifest}>
          <BuildFacts row={row} />
        </Panel>
        <Panel title={words.history}>
          <HistoryList id={a2aregistryid} flowid={flowid} />
        </Panel>
      </Page>
    </BuildNames>
  );
}
