// One agent: what its card says and how it is called, and its builds.
import { Tabs } from '@base-ui/react/tabs';
import { Link, useParams, useSearchParams } from 'wouter';
import buttons from '../parts/button.module.css';
import { Empty, Failure, Loading } from '../parts/list-state.tsx';
import { Page } from '../parts/page.tsx';
import { Status } from '../parts/status.tsx';
import tabs from '../parts/tabs.module.css';
import styles from './agent-page.module.css';
import { BuildList } from './build-list.tsx';
import { FlowView } from './flow-view.tsx';
import { Overview } from './overview.tsx';
import { agentPath, type Build, editPath, useBuilds } from './queries.ts';
import { words } from './words.ts';

export function AgentPage() {
  const { flowid = '' } = useParams();
  const all = useBuilds({ flowid: [flowid] });
  const live = useBuilds({ flowid: [flowid], status: ['live'] });
  const shown = live.builds[0] ?? all.builds[0];
  const error = all.query.error ?? live.query.error;
  if (shown && live.query.isSuccess) return <LoadedAgent shown={shown} all={all} />;
  return (
    <Page title={flowid}>
      {error ? (
        <Failure
          error={error}
          onRetry={() => void Promise.all([all.query.refetch(), live.query.refetch()])}
        />
      ) : all.query.isPending || live.query.isPending ? (
        <Loading />
      ) : (
        <NoAgent />
      )}
    </Page>
  );
}

const NoAgent = () => (
  <Empty
    icon="agents"
    title={words.noBuild}
    action={
      <Link href="/agents" className={buttons.button}>
        {words.allAgents}
      </Link>
    }
  >
    {words.noBuildText}
  </Empty>
);

function LoadedAgent({ shown, all }: { shown: Build; all: ReturnType<typeof useBuilds> }) {
  const { flowid, agent_card, status } = shown;
  const [search, setSearch] = useSearchParams();
  return (
    <Page
      title={agent_card.name}
      lead={
        <span className={styles.lead}>
          <Status status={status} /> <code>{flowid}</code>
        </span>
      }
      aside={
        <>
          <Link href={`/runs?flowid=${encodeURIComponent(flowid)}`} className={buttons.button}>
            {words.runs}
          </Link>
          <Link href={editPath(flowid)} className={buttons.button}>
            {words.edit}
          </Link>
          <Link href={`${agentPath(flowid)}/playground`} className={buttons.button}>
            {words.talk}
          </Link>
        </>
      }
    >
      <Tabs.Root
        className={tabs.panel}
        value={search.get('view') ?? 'overview'}
        onValueChange={(view) =>
          setSearch(view === 'overview' ? {} : { view: String(view) }, { replace: true })
        }
      >
        <Tabs.List className={tabs.tabs} aria-label={words.views}>
          {(['overview', 'flow', 'builds'] as const).map((view) => (
            <Tabs.Tab key={view} value={view} className={tabs.tab}>
              {words[view]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="overview" className={tabs.content}>
          <Overview build={shown} />
        </Tabs.Panel>
        <Tabs.Panel value="flow" className={tabs.content}>
          <FlowView id={shown.a2aregistryid} />
        </Tabs.Panel>
        <Tabs.Panel value="builds" className={tabs.content}>
          <BuildList builds={all.builds} query={all.query} />
        </Tabs.Panel>
      </Tabs.Root>
    </Page>
  );
}
