// The playground of a person who may call agents, and sees nothing else of them: they choose one that is live, or name
// its flow, whose live build is called.
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useCallback } from 'react';
import { Link, useParams, useSearchParams } from 'wouter';
import { call, serviceUrl } from '../api/client.ts';
import buttons from '../parts/button.module.css';
import form from '../parts/form.module.css';
import { TextField } from '../parts/form.tsx';
import { Failure, Loading } from '../parts/list-state.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { CallableAgents } from './callable-agents.tsx';
import { Chat } from './chat.tsx';
import { words } from './words.ts';

export function NamedAgent() {
  const { flowid: ofPath } = useParams();
  const [search] = useSearchParams();
  const flowid = ofPath ?? search.get('flowid');
  const agent = search.get('agent');
  if (flowid) return <AgentOfFlow key={flowid} flowid={flowid} />;
  if (agent) return <FoundAgent key={agent} id={agent} />;
  return (
    <Page title={words.playground} lead={words.lead}>
      <CallableAgents />
      <NameForm />
    </Page>
  );
}

function NameForm() {
  const [, setSearch] = useSearchParams();
  const choose = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const chosen = String(new FormData(event.currentTarget).get('flowid') ?? '').trim();
    if (chosen) setSearch({ flowid: chosen });
  };
  return (
    <Panel title={words.named}>
      <form className={form.form} onSubmit={choose}>
        <TextField label={words.flowid} name="flowid" hint={words.flowidHint} isRequired />
        <div className={form.actions}>
          <button type="submit" className={buttons.button}>
            {words.talk}
          </button>
        </div>
      </form>
    </Panel>
  );
}

const OtherAgent = () => (
  <Link href="/playground" className={buttons.button}>
    {words.otherAgent}
  </Link>
);

const AgentOfFlow = ({ flowid }: { flowid: string }) => (
  <Page title={flowid} lead={words.lead} aside={<OtherAgent />}>
    <Conversation address={encodeURIComponent(flowid)} name={flowid} examples={[]} />
  </Page>
);

function FoundAgent({ id }: { id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['agent-card', id],
    queryFn: ({ signal }) => call('getAgentCard', { params: { registryId: id }, query: {} }, { signal }),
  });
  return (
    <Page title={data?.name ?? words.playground} lead={words.lead} aside={<OtherAgent />}>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!error && !data && <Loading />}
      {data && (
        <Conversation
          address={`agents/${encodeURIComponent(id)}`}
          name={data.name}
          examples={data.skills.flatMap(({ examples }) => examples ?? [])}
        />
      )}
    </Page>
  );
}

interface ConversationProps {
  /** Of the agent, below that of all agents. */
  readonly address: string;
  readonly name: string;
  readonly examples: readonly string[];
}

function Conversation({ address, name, examples }: ConversationProps) {
  const [search, setSearch] = useSearchParams();
  const keepContext = useCallback(
    (context: string) =>
      setSearch((before) => new URLSearchParams([...without(before, 'context'), ['context', context]]), {
        replace: true,
      }),
    [setSearch],
  );
  return (
    <Chat
      url={serviceUrl(`/api/v1/ai/a2a/${address}/`)}
      name={name}
      examples={examples}
      contextId={search.get('context') ?? undefined}
      onContext={keepContext}
    />
  );
}

const without = (search: URLSearchParams, name: string): [string, string][] =>
  [...search].filter(([each]) => each !== name);
