// A conversation with one build of an agent: what was said, what the agent asks, and the field for the next message.
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import buttons from '../parts/button.module.css';
import { Empty, Failure } from '../parts/list-state.tsx';
import { Status } from '../parts/status.tsx';
import answers from '../runs/answer-form.module.css';
import { Answer, Needs, type Request } from '../runs/answer-form.tsx';
import type { RunDetail } from '../runs/queries.ts';
import { useSession } from '../shell/session.tsx';
import styles from './chat.module.css';
import { Composer } from './composer.tsx';
import { type Conversation, findStatusData } from './conversation.ts';
import { ExchangeList } from './exchange-list.tsx';
import { Transcript } from './transcript.tsx';
import { type Talk, useConversation } from './use-conversation.ts';
import { isMoving, type Part } from './wire.ts';
import { words } from './words.ts';

interface ChatProps {
  readonly url: string;
  readonly name: string;
  readonly examples: readonly string[];
  /** A conversation to go on with. */
  readonly contextId?: string | undefined;
  readonly onContext?: (contextId: string) => void;
  readonly isRawShown?: boolean;
}

export function Chat({ url, name, examples, contextId, onContext, isRawShown = false }: ChatProps) {
  const talk = useConversation(url, contextId);
  const { conversation, isBusy, isReconnecting, error, retry } = talk;
  const field = useRef<HTMLTextAreaElement>(null);
  const { entries, status } = conversation;
  useEffect(() => {
    if (conversation.contextId !== undefined) onContext?.(conversation.contextId);
  }, [conversation.contextId, onContext]);
  const isWorking = isMoving(status?.state);
  // The button that was pressed is gone then: the next thing to do is to write.
  const andWrite = (act: () => void) => {
    act();
    field.current?.focus({ preventScroll: true });
  };
  const send: Talk['send'] = (parts, requestId) => andWrite(() => talk.send(parts, requestId));
  const say = (text: string, more: readonly Part[] = []) => send([{ text }, ...more]);
  const mayCancel = isWorking || status?.state === 'TASK_STATE_INPUT_REQUIRED';
  return (
    <div className={`${styles.layout} ${isRawShown ? styles.withRaw : ''}`}>
      <section className={styles.chat} aria-label={words.conversation}>
        {entries.length === 0 && !isBusy && (
          <Empty
            icon="agents"
            title={words.begin(name)}
            action={<Examples examples={examples} onChoose={say} />}
          >
            {words.beginText}
          </Empty>
        )}
        <Transcript
          entries={withoutOpenQuestion(conversation)}
          isWorking={isWorking && status?.state !== 'TASK_STATE_AUTH_REQUIRED'}
        />
        <Open conversation={conversation} send={send} />
        {Boolean(error) && (
          <div className={styles.open}>
            <Failure error={error} onRetry={retry} />
          </div>
        )}
        <TaskBar
          conversation={conversation}
          isReconnecting={isReconnecting}
          onCancel={mayCancel ? () => andWrite(talk.cancel) : undefined}
        />
        <Composer field={field} isDisabled={isWorking} onSend={say} />
      </section>
      {isRawShown && <ExchangeList exchanges={talk.exchanges} />}
    </div>
  );
}

/** A question that is open is shown as its form. */
function withoutOpenQuestion({ entries, status }: Conversation) {
  if (status?.state !== 'TASK_STATE_INPUT_REQUIRED') return entries;
  const id = status.message?.messageId;
  return entries.filter((entry) => entry.kind !== 'message' || entry.message.messageId !== id);
}

function Examples({ examples, onChoose }: { examples: readonly string[]; onChoose: (text: string) => void }) {
  if (examples.length === 0) return null;
  return (
    <ul className={styles.examples} aria-label={words.examples}>
      {examples.map((example) => (
        <li key={example}>
          <button type="button" className={buttons.button} onClick={() => onChoose(example)}>
            {example}
          </button>
        </li>
      ))}
    </ul>
  );
}

interface OpenProps {
  readonly conversation: Conversation;
  readonly send: (parts: readonly Part[], requestId?: string) => void;
}

/** What the agent waits for: answers, or a connection. */
function Open({ conversation: { status, taskId }, send }: OpenProps) {
  if (status?.state === 'TASK_STATE_AUTH_REQUIRED') {
    const needs = findStatusData<NonNullable<RunDetail['needs']>>(status, 'configuration_url');
    return needs ? (
      <div className={styles.open}>
        <Needs needs={needs} />
      </div>
    ) : null;
  }
  if (status?.state !== 'TASK_STATE_INPUT_REQUIRED') return null;
  const { input_requests = [] } =
    findStatusData<{ input_requests: readonly Request[] }>(status, 'input_requests') ?? {};
  return (
    <div className={styles.open}>
      {input_requests.map((request) => (
        <section key={`${taskId} ${request.id}`} className={answers.question} aria-label={words.asks}>
          <p className={answers.kind}>{words.asks}</p>
          <h2 className={answers.prompt}>{request.prompt}</h2>
          {request.detail !== undefined && (
            <pre className={answers.detail}>{JSON.stringify(request.detail, undefined, 2)}</pre>
          )}
          <Answer request={request} send={(answer) => send([toAnswerPart(answer)], request.id)} />
        </section>
      ))}
    </div>
  );
}

const toAnswerPart = (answer: unknown): Part =>
  typeof answer === 'string' ? { text: answer } : { data: answer };

interface TaskBarProps {
  readonly conversation: Conversation;
  readonly isReconnecting: boolean;
  readonly onCancel: (() => void) | undefined;
}

/** Announces the state of the task, but not each chunk of an answer. */
function TaskBar({ conversation: { status, taskId }, isReconnecting, onCancel }: TaskBarProps) {
  const { may } = useSession();
  const state = status?.state;
  if (state === undefined) return null;
  return (
    <div className={styles.bar}>
      <span role="status" className={styles.state}>
        <Status status={(words.states as Readonly<Record<string, string>>)[state] ?? state} />
        {isReconnecting && isMoving(state) && words.reconnecting}
      </span>
      {taskId !== undefined && may('assistants.flows:read') && (
        <Link href={`/runs/${taskId}`}>{words.openRun}</Link>
      )}
      {taskId !== undefined && onCancel && (
        <button type="button" className={buttons.button} onClick={onCancel}>
          {words.cancel}
        </button>
      )}
    </div>
  );
}
