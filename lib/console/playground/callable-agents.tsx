// The live agents that a person may call, who sees nothing else: their own organisation's, and the public ones.
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { type CallOutput, call } from '../api/client.ts';
import cards from '../parts/cards.module.css';
import fields from '../parts/field.module.css';
import { Empty, Failure, Loading, LoadMore } from '../parts/list-state.tsx';
import { Panel } from '../parts/page.tsx';
import { words } from './words.ts';

type FoundAgent = CallOutput<'searchRegistry'>['items'][number];

const pageSize = '24';

export function CallableAgents() {
  const [q, setQuery] = useState('');
  const query = useInfiniteQuery({
    queryKey: ['callable-agents', q],
    queryFn: ({ pageParam, signal }) =>
      call(
        'searchRegistry',
        { query: { limit: pageSize, ...(q && { q }), ...(pageParam && { cursor: pageParam }) } },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: (before) => before,
  });
  const agents = query.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Panel
      title={words.callable}
      aside={
        <search>
          <input
            className={fields.input}
            type="search"
            aria-label={words.search}
            placeholder={words.search}
            onChange={({ target }) => setQuery(target.value.trim())}
          />
        </search>
      }
    >
      {query.error && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Loading />}
      {query.isSuccess && agents.length === 0 && (
        <Empty icon="agents" title={q ? words.noneFound : words.noneCallable}>
          {q ? undefined : words.noneCallableText}
        </Empty>
      )}
      <ul className={cards.cards} aria-label={words.callable}>
        {agents.map((agent) => (
          <AgentCard key={agent.a2aregistryid} agent={agent} />
        ))}
      </ul>
      <LoadMore query={query} />
    </Panel>
  );
}

const AgentCard = ({ agent: { a2aregistryid, flowid, agent_card } }: { agent: FoundAgent }) => (
  <li className={cards.card}>
    <Link
      href={`/playground?${new URLSearchParams({ agent: a2aregistryid })}`}
      className={cards.link}
      data-row
    >
      {agent_card.name}
    </Link>
    <p className={cards.soft}>{agent_card.description}</p>
    <p className={cards.soft}>
      <code>{flowid}</code>
    </p>
  </li>
);
