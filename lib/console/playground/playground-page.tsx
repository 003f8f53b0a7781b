// The playground: a build of an agent is chosen, and called at its hosted URL as its clients call it. Agent, build and
// conversation are in the address.
import { useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { useParams, useSearchParams } from 'wouter';
import type { RegistryFlow, RegistryRow } from '#lib/registry/row/row.ts';
import { call } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import fields from '../parts/field.module.css';
import { Empty, Failure, Loading } from '../parts/list-state.tsx';
import { Page } from '../parts/page.tsx';
import { useSession } from '../shell/session.tsx';
import { Chat } from './chat.tsx';
import { listFlows } from './flows.ts';
import { hostedUrl } from './hosted-url.ts';
import { NamedAgent } from './named-agent.tsx';
import { words } from './words.ts';

const buildsMax = '50';

export function PlaygroundPage() {
  const { may } = useSession();
  return may('assistants.flows:read') ? <ListedAgents /> : <NamedAgent />;
}

function ListedAgents() {
  const { workspaceid } = useSession();
  const { flowid: ofPath } = useParams();
  const [search] = useSearchParams();
  const flows = useQuery({
    queryKey: ['flows', workspaceid],
    queryFn: ({ signal }) => listFlows(workspaceid, signal),
  });
  const items = flows.data ?? [];
  const flowid = ofPath ?? search.get('flowid') ?? (items.find(({ live }) => live) ?? items[0])?.flowid;
  if (flowid !== undefined)
    return <AgentPlayground key={`${workspaceid} ${flowid}`} flowid={flowid} flows={items} />;
  return (
    <Page title={words.playground} lead={words.lead}>
      {flows.error && <Failure error={flows.error} onRetry={() => void flows.refetch()} />}
      {flows.isPending && <Loading />}
      {flows.isSuccess && (
        <Empty icon="agents" title={words.noAgents}>
          {words.noAgentsText}
        </Empty>
      )}
    </Page>
  );
}

function AgentPlayground({ flowid, flows }: { flowid: string; flows: readonly RegistryFlow[] }) {
  const { workspaceid } = useSession();
  const { flowid: ofPath } = useParams();
  const [search, setSearch] = useSearchParams();
  const [isRawShown, showRaw] = useState(false);
  const [number, setNumber] = useState(0);
  const builds = useQuery({
    queryKey: ['builds', workspaceid, flowid],
    queryFn: ({ signal }) =>
      call('listRegistryRows', { query: { workspaceid, flowid: [flowid], limit: buildsMax } }, { signal }),
  });
  const rows: readonly RegistryRow[] = builds.data?.items ?? [];
  const chosen = search.get('build') ?? (rows.some(({ status }) => status === 'live') ? 'live' : 'test');
  const row = findBuild(rows, chosen);
  const change = useCallback(
    (values: Readonly<Record<string, string>>) =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before);
          for (const [name, value] of Object.entries(values))
            if (value) next.set(name, value);
            else next.delete(name);
          return next;
        },
        { replace: true },
      ),
    [setSearch],
  );
  const keepContext = useCallback((context: string) => change({ context }), [change]);
  const restart = (values: Readonly<Record<string, string>>) => {
    setNumber((before) => before + 1);
    change({ ...values, context: '' });
  };
  return (
    <Page
      title={row?.agent_card.name ?? words.playground}
      lead={words.lead}
      aside={
        <>
          <button type="button" className={buttons.button} onClick={() => restart({})}>
            {words.fresh}
          </button>
          <button
            type="button"
            className={buttons.button}
            aria-expanded={isRawShown}
            onClick={() => showRaw(!isRawShown)}
          >
            {words.raw}
          </button>
        </>
      }
    >
      <div className={fields.row}>
        {ofPath === undefined && (
          <FlowChoice
            flows={flows}
            flowid={flowid}
            onChoose={(value) => restart({ flowid: value, build: '' })}
          />
        )}
        <BuildChoice rows={rows} chosen={chosen} onChoose={(build) => restart({ build })} />
      </div>
      {builds.error && <Failure error={builds.error} onRetry={() => void builds.refetch()} />}
      {builds.isPending && <Loading />}
      {builds.isSuccess && !row && (
        <Empty icon="agents" title={words.noBuild}>
          {words.noBuildText}
        </Empty>
      )}
      {row && (
        <Chat
          key={`${row.a2aregistryid} ${number}`}
          url={hostedUrl(row)}
          name={row.agent_card.name}
          examples={row.agent_card.skills.flatMap(({ examples }) => examples ?? [])}
          contextId={search.get('context') ?? undefined}
          onContext={keepContext}
          isRawShown={isRawShown}
        />
      )}
    </Page>
  );
}

/** `live`, `test` (the newest build in test), or the id of a build. */
const findBuild = (rows: readonly RegistryRow[], chosen: string): RegistryRow | undefined =>
  rows.find(({ status, a2aregistryid }) => status === chosen || a2aregistryid === chosen);

interface FlowChoiceProps {
  readonly flows: readonly RegistryFlow[];
  readonly flowid: string;
  readonly onChoose: (flowid: string) => void;
}

function FlowChoice({ flows, flowid, onChoose }: FlowChoiceProps) {
  const isListed = flows.some((flow) => flow.flowid === flowid);
  return (
    <select
      className={fields.input}
      aria-label={words.agent}
      value={flowid}
      onChange={(event) => onChoose(event.target.value)}
    >
      {!isListed && <option value={flowid}>{flowid}</option>}
      {flows.map((flow) => (
        <option key={flow.flowid} value={flow.flowid}>
          {flow.name}
        </option>
      ))}
    </select>
  );
}

interface BuildChoiceProps {
  readonly rows: readonly RegistryRow[];
  readonly chosen: string;
  readonly onChoose: (build: string) => void;
}

function BuildChoice({ rows, chosen, onChoose }: BuildChoiceProps) {
  const value = findBuild(rows, chosen)?.a2aregistryid ?? '';
  return (
    <select
      className={fields.input}
      aria-label={words.build}
      value={value}
      onChange={(event) => {
        const row = findBuild(rows, event.target.value);
        onChoose(row?.status === 'live' ? 'live' : event.target.value);
      }}
    >
      {value === '' && <option value="">{words.build}</option>}
      {rows.map(({ a2aregistryid, status, build_no }) => (
        <option key={a2aregistryid} value={a2aregistryid}>
          {status === 'live' ? words.live(build_no) : words.test(build_no)}
        </option>
      ))}
    </select>
  );
}
