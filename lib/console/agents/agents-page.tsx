// The agents of the workspace: a card for each flow that has builds. The filters are in the address.
import { useMemo } from 'react';
import { Link } from 'wouter';
import { serviceUrl } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import cards from '../parts/cards.module.css';
import { CopyBlock } from '../parts/copy.tsx';
import { useFilters } from '../parts/filters.ts';
import { Empty, Failure, Loading, LoadMore, NoMatches } from '../parts/list-state.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Status } from '../parts/status.tsx';
import { Ago } from '../parts/time.tsx';
import { useSession } from '../shell/session.tsx';
import { AgentFilters, filterNames } from './agent-filters.tsx';
import styles from './agents-page.module.css';
import { registerCommand } from './commands.ts';
import { agentPath, type Build, useBuilds } from './queries.ts';
import { words } from './words.ts';

export function AgentsPage() {
  const { filters, setFilter, clear } = useFilters(filterNames);
  const { q, ...others } = filters;
  const lists = Object.fromEntries(Object.entries(others).map(([name, value]) => [name, [value]]));
  const { builds, query } = useBuilds({ ...(q && { q }), ...lists });
  const agents = useMemo(() => groupBuilds(builds), [builds]);
  const hasFilters = Object.keys(filters).length > 0;
  return (
    <Page title={words.agents} lead={words.lead} aside={<NewAgent />}>
      <div className={styles.filters}>
        <AgentFilters filters={filters} setFilter={setFilter} clear={clear} />
      </div>
      {query.error && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Loading />}
      {query.isSuccess && (
        <Panel title={words.shown(agents.length, query.hasNextPage)}>
          {agents.length > 0 && (
            <ul className={cards.cards} aria-label={words.agents}>
              {agents.map((agent) => (
                <AgentCard key={agent.shown.flowid} agent={agent} hasMore={query.hasNextPage} />
              ))}
            </ul>
          )}
          {agents.length === 0 && (hasFilters ? <NoMatch clear={clear} /> : <NoAgents />)}
          <LoadMore query={query} />
        </Panel>
      )}
    </Page>
  );
}

function NewAgent() {
  const { may } = useSession();
  return (
    may('assistants.flows:create') && (
      <Link href="/new-agent" className={buttons.button}>
        {words.newAgent}
      </Link>
    )
  );
}

interface Agent {
  /** The live build, or else the newest of those that were found. */
  readonly shown: Build;
  readonly found: number;
}

function groupBuilds(builds: readonly Build[]): readonly Agent[] {
  return [...Map.groupBy(builds, ({ flowid }) => flowid).values()].flatMap((group) => {
    const shown = group.find(({ status }) => status === 'live') ?? group[0];
    return shown ? [{ shown, found: group.length }] : [];
  });
}

function AgentCard({ agent: { shown, found }, hasMore }: { agent: Agent; hasMore: boolean }) {
  const { flowid, agent_card, status, visibility, tags, build_no, updated_at } = shown;
  return (
    <li className={cards.card}>
      <div className={styles.cardHead}>
        <Link href={agentPath(flowid)} className={cards.link}>
          {agent_card.name}
        </Link>
        <Status status={status} />
      </div>
      <p className={cards.soft}>{agent_card.description}</p>
      {tags.length > 0 && (
        <ul className={styles.tags} aria-label={words.tags}>
          {tags.slice(0, tagsMax).map((tag) => (
            <li key={tag}>{tag}</li>
          ))}
        </ul>
      )}
      <p className={styles.meta}>
        <code>{flowid}</code>
      </p>
      <p className={styles.meta}>
        {[
          words.buildNo(build_no),
          ...(found > 1 ? [words.buildCount(found, hasMore)] : []),
          words.skillCount(agent_card.skills.length),
          words.visibilities[visibility],
        ].join(' · ')}
        {' · '}
        <Ago time={updated_at} />
      </p>
    </li>
  );
}

const tagsMax = 6;

const NoMatch = ({ clear }: { clear: () => void }) => (
  <NoMatches icon="agents" title={words.noMatches} onClear={clear} />
);

function NoAgents() {
  const { workspaceid } = useSession();
  return (
    <Empty
      icon="agents"
      title={words.noAgents}
      action={<CopyBlock text={registerCommand(serviceUrl('/'), workspaceid)} label={words.registerCurl} />}
    >
      {words.noAgentsText}
    </Empty>
  );
}
