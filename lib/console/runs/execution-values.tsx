// What the execution of a node was given and what it gave, with the prompts and answers of its models. It is read when
// somebody asks for it, because each reading is recorded.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Json } from '#lib/json/json.ts';
import { type CallOutput, call } from '../api/client.ts';
import { ApiError } from '../api/problem.ts';
import buttons from '../parts/button.module.css';
import { formatCount, formatDuration } from '../parts/format.ts';
import { readJsonObject } from '../parts/json-object.ts';
import { JsonTree, LongText } from '../parts/json-tree.tsx';
import { Failure, Loading } from '../parts/list-state.tsx';
import { useSession } from '../shell/session.tsx';
import styles from './execution-values.module.css';
import { valueWords as words } from './value-words.ts';

type Execution = CallOutput<'getRunExecution'>;
type ModelCall = NonNullable<Execution['models']>[number];

interface ExecutionValuesProps {
  readonly workflow_id: string;
  /** The id of the execution. */
  readonly execution: string;
}

export function ExecutionValues({ workflow_id, execution }: ExecutionValuesProps) {
  const { may } = useSession();
  const [isAsked, ask] = useState(false);
  const query = useQuery({
    queryKey: ['execution', workflow_id, execution],
    queryFn: ({ signal }) => call('getRunExecution', { params: { workflow_id, execution } }, { signal }),
    enabled: isAsked,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!may('runs:inspect')) return <p className={styles.soft}>{words.noPermission}</p>;
  if (query.data) return <Values execution={query.data} />;
  if (isAsked) return <Reading query={query} />;
  return (
    <div className={styles.ask}>
      <button type="button" className={buttons.button} onClick={() => ask(true)}>
        {words.show}
      </button>
      <p className={styles.soft}>{words.audited}</p>
    </div>
  );
}

function Reading({ query: { error, refetch } }: { query: { error: unknown; refetch: () => unknown } }) {
  if (!error) return <Loading />;
  if (!(error instanceof ApiError) || error.problem.code !== 'run_values_not_kept')
    return <Failure error={error} onRetry={() => void refetch()} />;
  return (
    <div className={styles.ask}>
      <p>{error.problem.detail}</p>
      <Link href="/environments">{words.environments}</Link>
    </div>
  );
}

function Values({ execution }: { execution: Execution }) {
  const { input, output, assigned, error, models = [], left_out = [] } = execution;
  return (
    <div className={styles.values}>
      {input !== undefined && <Part title={words.input} value={input} />}
      {models.map((asked, n) => (
        <Asked key={asked.at + String(n)} asked={asked} n={n + 1} />
      ))}
      {output !== undefined && <Part title={words.output} value={output} />}
      {assigned && <Part title={words.assigned} value={assigned} />}
      {error && (
        <section>
          <h3>{words.error}</h3>
          <p>
            <code>{error.code}</code> {error.message}
          </p>
          {error.response && <JsonTree value={error.response} label={words.error} />}
        </section>
      )}
      {left_out.length > 0 && <p className={styles.soft}>{words.leftOut(left_out.join(', '))}</p>}
    </div>
  );
}

const Part = ({ title, value }: { title: string; value: Parameters<typeof JsonTree>[0]['value'] }) => (
  <section>
    <h3>{title}</h3>
    <JsonTree value={value} label={title} />
  </section>
);

function Asked({ asked, n }: { asked: ModelCall; n: number }) {
  const {
    model,
    attempt,
    system,
    messages,
    earlier_messages,
    answer,
    tool_calls = [],
    tokens,
    error,
  } = asked;
  const { tools = [], finish_reason } = asked;
  const facts = [
    model,
    attempt > 1 && words.attempt(attempt),
    formatDuration(asked.duration_ms),
    tokens && words.tokens(formatCount(tokens.input), formatCount(tokens.output)),
    finish_reason && finish_reason !== 'stop' && words.stopped(finish_reason),
  ].filter((fact) => typeof fact === 'string');
  return (
    <section>
      <h3>{words.modelCall(n)}</h3>
      <ul className={styles.facts}>
        {facts.map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
      {tools.length > 0 && <p className={styles.soft}>{words.tools(tools.join(', '))}</p>}
      {system !== undefined && <Said who={words.system} text={system} />}
      {earlier_messages > 0 && <p className={styles.soft}>{words.earlier(earlier_messages)}</p>}
      {messages.map((message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages never change their places.
        <Said key={index} who={nameSpeaker(message)} text={message.content} calls={message.tool_calls} />
      ))}
      {(answer !== undefined || tool_calls.length > 0) && (
        <Said who={words.answer} text={answer ?? ''} calls={tool_calls} />
      )}
      {error && <Said who={words.error} text={`${error.code}: ${error.message}`} />}
    </section>
  );
}

const nameSpeaker = ({ role, name }: ModelCall['messages'][number]): string =>
  role === 'tool' ? words.resultOf(name ?? '') : words.roles[role];

interface SaidProps {
  readonly who: string;
  readonly text: Json;
  readonly calls?: ModelCall['tool_calls'];
}

/** A message, and the tools that it calls. */
const Said = ({ who, text, calls = [] }: SaidProps) => (
  <div className={styles.said}>
    <strong>{who}</strong>
    {text !== '' && <Content text={text} label={who} />}
    {calls.map(({ name, arguments: args = null }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: calls never change their places.
      <div key={index} className={styles.called}>
        <p>
          {words.calls} <code>{String(name)}</code>
        </p>
        <JsonTree value={args} label={words.argumentsOf(String(name))} />
      </div>
    ))}
  </div>
);

/** What is an object of JSON, as results of tools mostly are, is a tree. */
function Content({ text, label }: { readonly text: Json; readonly label: string }) {
  if (typeof text !== 'string') return <JsonTree value={text} label={label} />;
  const object = readJsonObject(text);
  return object ? <JsonTree value={object} label={label} /> : <LongText text={text} label={label} />;
}
