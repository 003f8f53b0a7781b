// The conversation of a page with an agent: what was said, what is on its way, and what has failed.
import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'react';
import type { Exchanged } from './a2a-client.ts';
import {
  type Conversation,
  nothingSaid,
  withResult,
  withSent,
  withTask,
  withUnsent,
} from './conversation.ts';
import { cancelTask, sendAndFollow, type TaskSession, takeUpConversation } from './follow-task.ts';
import type { Message, Part } from './wire.ts';

export interface Exchange extends Exchanged {
  readonly number: number;
  readonly at: string;
}

export interface Talk {
  readonly conversation: Conversation;
  readonly exchanges: readonly Exchange[];
  readonly error: unknown;
  /** Something is on its way: a message, an answer, or the conversation so far. */
  readonly isBusy: boolean;
  /** The stream has broken, and is begun again. */
  readonly isReconnecting: boolean;
  readonly send: (parts: readonly Part[], requestId?: string) => void;
  readonly cancel: () => void;
  readonly retry: (() => void) | undefined;
}

const exchangesMax = 300;

/** The first `contextId` counts: later ones are those that this page has put into the address. */
export function useConversation(url: string, contextId: string | undefined): Talk {
  const [taken] = useState(contextId);
  const { session, change, conversation, exchanges, isReconnecting } = useTaskSession(url);
  const { work, error, isBusy } = useWork();
  const [unsent, setUnsent] = useState<Message>();
  useEffect(() => {
    if (taken !== undefined) work((signal) => takeUpConversation(session, taken, signal));
  }, [session, work, taken]);
  const deliver = (message: Message) => {
    const { status, taskId } = session.read();
    setUnsent(message);
    change(withSent(session.read(), message));
    work(async (signal) => {
      let isReceived = false;
      try {
        await sendAndFollow(session, message, signal, () => {
          isReceived = true;
          setUnsent(undefined);
        });
      } catch (thrown) {
        if (!isReceived) change(withUnsent(session.read(), message, { status, taskId }));
        throw thrown;
      }
    });
  };
  return {
    conversation,
    exchanges,
    error,
    isBusy,
    isReconnecting,
    send: (parts, requestId) => deliver(buildMessage(session.read(), parts, requestId)),
    cancel: () => work((signal) => cancelTask(session, signal)),
    // The service recognises a message that it has got already by its id.
    retry: unsent === undefined ? undefined : () => deliver(unsent),
  };
}

/** The conversation, as those read it who wait for events, and as the page shows it. */
function useTaskSession(url: string) {
  const [conversation, setConversation] = useState(nothingSaid);
  const [exchanges, record] = useReducer(addExchange, []);
  const [isReconnecting, setReconnecting] = useState(false);
  const latest = useRef(nothingSaid);
  const change = useCallback((next: Conversation) => {
    latest.current = next;
    setConversation(next);
  }, []);
  const session = useMemo(
    (): TaskSession => ({
      client: { url, onExchange: record },
      onResult: (result) => {
        setReconnecting(false);
        change(withResult(latest.current, result));
      },
      onBroken: () => setReconnecting(true),
      read: () => latest.current,
      readTask: (task) => change(withTask(latest.current, task)),
    }),
    [url, change],
  );
  return { session, change, conversation, exchanges, isReconnecting };
}

/** Work that ends with the page. What fails is shown. */
function useWork() {
  const [error, setError] = useState<unknown>();
  const [count, add] = useReducer((before: number, more: number) => before + more, 0);
  const left = useRef(new AbortController());
  useEffect(() => {
    left.current = new AbortController();
    return () => left.current.abort();
  }, []);
  const work = useCallback((run: (signal: AbortSignal) => Promise<void>) => {
    const { signal } = left.current;
    setError(undefined);
    add(1);
    run(signal)
      .catch((thrown) => {
        if (!signal.aborted) setError(thrown);
      })
      .finally(() => add(-1));
  }, []);
  return { work, error, isBusy: count > 0 };
}

const addExchange = (before: readonly Exchange[], exchanged: Exchanged): readonly Exchange[] =>
  [...before, { ...exchanged, number: (before.at(-1)?.number ?? 0) + 1, at: new Date().toISOString() }].slice(
    -exchangesMax,
  );

/** To the task that waits for an answer, else to a new one of the same conversation. */
function buildMessage(
  { taskId, contextId, status }: Conversation,
  parts: readonly Part[],
  requestId: string | undefined,
): Message {
  const isAnswer = taskId !== undefined && status?.state === 'TASK_STATE_INPUT_REQUIRED';
  return {
    messageId: crypto.randomUUID(),
    role: 'ROLE_USER',
    parts,
    ...(contextId !== undefined && { contextId }),
    ...(isAnswer && { taskId }),
    ...(requestId !== undefined && { metadata: { request_id: requestId } }),
  };
}
