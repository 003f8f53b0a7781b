// Sends messages and follows their task until that needs nothing more: it is taken up again after a stream that ended
// early, and after a time in which the tab was hidden.
import { ApiError } from '../api/problem.ts';
import { type A2AClient, A2AError, callMethod, streamMethod, taskHasEnded } from './a2a-client.ts';
import type { Conversation } from './conversation.ts';
import { isFinalState, isMoving, type Message, type StreamResult, type Task } from './wire.ts';

const waitMsMin = 500;
const waitMsMax = 10_000;

/** What a conversation knows and does while its task is followed. */
export interface TaskSession {
  readonly client: A2AClient;
  readonly onResult: (result: StreamResult) => void;
  readonly onBroken: () => void;
  readonly read: () => Conversation;
  readonly readTask: (task: Task) => void;
}

export async function sendAndFollow(
  session: TaskSession,
  message: Message,
  signal: AbortSignal,
  onReceived: () => void,
): Promise<void> {
  let isReceived = false;
  try {
    await streamWhileVisible(session, 'SendStreamingMessage', { message }, signal, () => {
      if (isReceived) return;
      isReceived = true;
      onReceived();
    });
  } catch (error) {
    if (!isReceived || signal.aborted || isRefusal(error)) throw error;
  }
  await follow(session, signal);
}

/** Until the task has ended or asks something. */
async function follow(session: TaskSession, signal: AbortSignal): Promise<void> {
  for (let waitMs = waitMsMin; !signal.aborted && isMoving(session.read().status?.state); ) {
    const id = session.read().taskId;
    if (id === undefined) return;
    await untilVisible(signal);
    try {
      await streamWhileVisible(session, 'SubscribeToTask', { id }, signal, () => {
        waitMs = waitMsMin;
      });
    } catch (error) {
      if (signal.aborted) return;
      if (mustRead(error)) await readAgain(session, id, signal);
      else if (isRefusal(error)) throw error;
      else session.onBroken();
    }
    if (!isMoving(session.read().status?.state)) return;
    await pause(waitMs * (0.75 + Math.random() / 2), signal);
    waitMs = Math.min(waitMs * 2, waitMsMax);
  }
}

const isRefusal = (error: unknown): boolean => error instanceof ApiError && !error.isTransient;

/** A task that has ended cannot be followed, and too many streams are refused: it is read instead. */
const mustRead = (error: unknown): boolean =>
  (error instanceof A2AError && error.rpcCode === taskHasEnded) ||
  (error instanceof ApiError && error.problem.status === 429);

async function readAgain({ client, readTask }: TaskSession, id: string, signal: AbortSignal): Promise<void> {
  readTask((await callMethod(client, 'GetTask', { id }, signal)) as Task);
}

/** The tasks of the conversation in their order; the last one is followed if it goes on. */
export async function takeUpConversation(
  session: TaskSession,
  contextId: string,
  signal: AbortSignal,
): Promise<void> {
  const { tasks = [] } = (await callMethod(
    session.client,
    'ListTasks',
    { contextId, includeArtifacts: true, pageSize: 50 },
    signal,
  )) as { tasks?: readonly Task[] };
  // Their ids begin with the time at which they were started.
  for (const task of tasks.toSorted((left, right) => (left.id < right.id ? -1 : 1))) session.readTask(task);
  await follow(session, signal);
}

export async function cancelTask(session: TaskSession, signal: AbortSignal): Promise<void> {
  const { taskId: id, status } = session.read();
  if (id === undefined || isFinalState(status?.state)) return;
  session.readTask((await callMethod(session.client, 'CancelTask', { id }, signal)) as Task);
}

/** A browser has six connections to a host for all of its tabs: a hidden tab gives its stream back. */
async function streamWhileVisible(
  { client, onResult, read }: TaskSession,
  method: string,
  params: object,
  signal: AbortSignal,
  onReceived: () => void,
): Promise<void> {
  const hidden = new AbortController();
  const update = () => {
    if (document.hidden && read().taskId !== undefined) hidden.abort();
  };
  document.addEventListener('visibilitychange', update);
  try {
    await streamMethod(client, method, params, AbortSignal.any([signal, hidden.signal]), (result) => {
      onReceived();
      onResult(result);
    });
  } catch (error) {
    if (!hidden.signal.aborted) throw error;
  } finally {
    document.removeEventListener('visibilitychange', update);
  }
}

async function untilVisible(signal: AbortSignal): Promise<void> {
  if (!document.hidden) return;
  await new Promise<void>((resolve) => {
    document.addEventListener('visibilitychange', () => resolve(), { once: true, signal });
    signal.addEventListener('abort', () => resolve());
  });
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
