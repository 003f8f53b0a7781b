// Sends one message to an agent and waits until its task ends or needs input. Import this file lazily only.
import { setTimeout } from 'node:timers/promises';
import {
  Role,
  type SendMessageRequest,
  type SendMessageResult,
  type TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import type { Client, RequestOptions } from '@a2a-js/sdk/client';
import { A2AError } from '@a2a-js/sdk/errors';
import type { ConnectionFetch } from '#lib/connection/authorized-fetch.ts';
import type { EgressLimits, GuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { hostName } from '#lib/egress/network-failure.ts';
import { redactValue } from '#lib/egress/redact.ts';
import type {
  AgentAnswer,
  AgentRequest,
  CreateNotificationTarget,
  NotificationTarget,
  RemoteTask,
  UsedByAgent,
} from '#lib/flow/ports/agent.ts';
import type { NodeCall, TraceHeaders } from '#lib/flow/ports/node-call.ts';
import { deriveMessageId } from '#lib/ids.ts';
import type { AgentEndpoint } from './agent-endpoint.ts';
import { type Progress, toProgress } from './answer.ts';
import { createA2AClient } from './client.ts';
import { agentFailure, refusedStatus } from './failure.ts';

/** An agent may think for as long as the node may take; the call's signal ends it. */
const limits: Partial<EgressLimits> = { headersMs: 900_000, bodyMs: 900_000 };
/** Milliseconds between two polls of a task: the first pause, and the longest. */
const pauseFirst = 250;
const pauseMax = 5_000;
/** Milliseconds before a request is repeated: the first pause, and the longest. Five repetitions take 15 s. */
const repeatFirst = 500;
const repeatMax = 8_000;
/** The longest one for a task that is read again later anyway. Three repetitions take 3.5 s. */
const repeatBriefly = 2_000;

interface OutgoingMessage extends AgentRequest {
  readonly messageId: string;
  /** Whether a task is returned while it is in progress. Agents of this service do so after some time anyway. */
  readonly isAnsweredAtOnce: boolean;
}

interface Fetches {
  readonly connectionFetch: ConnectionFetch;
  /** Without a credential, for the keys of cards. */
  readonly keysFetch: GuardedFetch;
  /** What all requests to the agent carry. */
  readonly trace?: TraceHeaders | undefined;
}

interface AgentAccess extends Fetches {
  /** Absent where no agent can notify this service. */
  readonly createTarget?: CreateNotificationTarget | undefined;
}

/** Throws `NodeError` (codes `a2a.*`, `egress.*`, `connection.*`, `timeout`). */
export async function sendAndWait(
  request: AgentRequest,
  endpoint: AgentEndpoint,
  { connectionFetch, keysFetch, createTarget }: AgentAccess,
  call: NodeCall,
): Promise<AgentAnswer> {
  const host = hostName(endpoint.url);
  const endsAt = performance.now() + (request.patienceMs ?? Number.POSITIVE_INFINITY);
  const longest = request.isReadLater ? repeatBriefly : repeatMax;
  const { signal } = call;
  try {
    const { started_task: started } = request;
    const repeated = <T>(outgoing: () => Promise<T>) => repeat(outgoing, { host, signal, longest });
    const trace = await call.trace?.();
    const open = () => connect(request, endpoint, { connectionFetch, keysFetch, trace }, signal);
    // A task that was started long ago is not given up because its agent restarts while the card is read.
    const { client, options } = await (started === undefined ? open() : repeated(open));
    const message = {
      ...request,
      messageId: deriveMessageId(`${request.key}.${call.attempt}`),
      isAnsweredAtOnce: request.patienceMs !== undefined && !endpoint.isTrusted,
    };
    const send = () => sendMessage(client, message, options);
    const readTask = async (id: string) => {
      await call.onTask?.(id);
      return await repeated(() => client.getTask({ tenant: '', id }, options));
    };
    const subscribe = async (id: string, create: CreateNotificationTarget) => {
      const config = toPushConfig(id, await create({ agent: request.agent, task_id: id }));
      await repeated(() => client.createTaskPushNotificationConfig(config, options));
    };
    const begin = async () => {
      void call.onTask?.();
      return endpoint.isTrusted ? await repeated(send) : await send();
    };
    // A paused run that only reads its task has set the configuration before, if the agent notifies.
    let create = started !== undefined && request.patienceMs === 0 ? undefined : createTarget;
    let isNotified = false;
    let progress: Progress = toProgress(await (started === undefined ? begin() : readTask(started)), host);
    for (let pause = pauseFirst; 'taskId' in progress; pause = Math.min(pause * 1.5, pauseMax)) {
      const { taskId: id } = progress;
      await call.onTask?.(id);
      const isLeft = performance.now() + pause > endsAt;
      if (isLeft && !create)
        return { state: 'working', task_id: id, text: '', ...(isNotified && { isNotified }) };
      if (isLeft && create) isNotified = await hasSucceeded(subscribe(id, create), signal);
      else await setTimeout(pause, undefined, options);
      // Read once more after the configuration: no change before it is notified.
      if (isLeft) create = undefined;
      progress = toProgress(await readTask(id), host);
    }
    const { used, ...answer } = redactAnswer(progress.answer, connectionFetch);
    return { ...answer, ...(used && endpoint.isTrusted && { used }) };
  } catch (error) {
    const failure = agentFailure(error, { host, signal, redact: connectionFetch.redact });
    if (request.isReadLater && transient.has(failure.code)) return { state: 'working', text: '' };
    throw failure;
  }
}

async function connect(
  { extensions = [], isCardVerified }: Pick<AgentRequest, 'extensions' | 'isCardVerified'>,
  endpoint: AgentEndpoint,
  { connectionFetch, keysFetch, trace }: Fetches,
  signal: AbortSignal,
) {
  const keys = isCardVerified ? { fetch: keysFetch, egress: endpoint.egress, signal } : undefined;
  const fetch = createAgentFetch(connectionFetch, endpoint, trace);
  const client = await createA2AClient(endpoint, { fetch, signal, keys, extensions });
  return { client, options: { signal, ...activate(extensions) } };
}

/**
 * Cancels a task, and returns what it has used. The id of a task whose message has had no answer is known to an agent
 * of this service alone: it is asked for with the same message. Throws if the agent does not respond.
 */
export async function cancelTask(
  task: RemoteTask,
  endpoint: AgentEndpoint,
  fetches: Fetches,
  signal: AbortSignal,
): Promise<UsedByAgent | undefined> {
  const { client, options } = await connect(task, endpoint, fetches, signal);
  const started = task.task_id ?? (endpoint.isTrusted ? await findTask(client, task, options) : undefined);
  if (typeof started !== 'string') return started?.used;
  const host = hostName(endpoint.url);
  const request = { tenant: '', id: started };
  const ended = await client.cancelTask({ ...request, metadata: {} }, options).catch((error: unknown) => {
    // It may have ended by itself a moment ago.
    if (error instanceof A2AError && error.reason === 'TASK_NOT_CANCELABLE')
      return client.getTask(request, options);
    throw error;
  });
  const progress = toProgress(ended, host);
  return endpoint.isTrusted && 'answer' in progress ? progress.answer.used : undefined;
}

/** The id of the task that a message has started, or its answer if it has ended. */
async function findTask(
  client: Client,
  { message: sent, ...task }: RemoteTask,
  options: RequestOptions,
): Promise<string | AgentAnswer | undefined> {
  if (!sent) return undefined;
  const { attempt, ...content } = sent;
  const messageId = deriveMessageId(`${content.key}.${attempt}`);
  const message = { ...task, ...content, messageId, isAnsweredAtOnce: true };
  const progress = toProgress(await sendMessage(client, message, options), '');
  if ('taskId' in progress) return progress.taskId;
  const { answer } = progress;
  const isPaused = answer.state === 'input_required' || answer.state === 'auth_required';
  return isPaused ? answer.task_id : answer;
}

/** An agent that refuses is polled. */
async function hasSucceeded(request: Promise<unknown>, signal: AbortSignal): Promise<boolean> {
  try {
    await request;
    return true;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

/**
 * The token is sent as `X-A2A-Notification-Token`. There is no `authentication`: some agents send that alone if
 * both are set.
 */
const toPushConfig = (
  taskId: string,
  { id, url, token }: NotificationTarget,
): TaskPushNotificationConfig => ({
  tenant: '',
  taskId,
  id,
  url,
  token: token.reveal(),
  authentication: undefined,
});

/** What may pass: the host does not answer, or the connection breaks, or it is called too often. */
const transient: ReadonlySet<string> = new Set(['a2a.unavailable', 'a2a.rate_limited']);

/**
 * Repeats a request that has no effect the second time: a look at a task, or a message to an agent of this service,
 * which knows messages by their ids.
 */
async function repeat<T>(request: () => Promise<T>, { host, signal, longest }: Repetition): Promise<T> {
  for (let pause = repeatFirst; ; pause *= 2) {
    try {
      return await request();
    } catch (error) {
      const { code } = agentFailure(error, { host, signal, redact: String });
      if (pause > longest || signal.aborted || !transient.has(code)) throw error;
    }
    await setTimeout(pause, undefined, { signal });
  }
}

interface Repetition {
  readonly host: string;
  readonly signal: AbortSignal;
  /** Milliseconds before the last repetition. */
  readonly longest: number;
}

/** The client sends the header under its name of 0.3 to agents of that version. */
const activate = (extensions: readonly string[]): RequestOptions =>
  extensions.length > 0 ? { serviceParameters: { 'A2A-Extensions': extensions.join(',') } } : {};

/**
 * An agent may have forgotten a conversation that the flow does not ask for: the message begins a new one then.
 * Messages that are refused with an error have no effect, so that the second one is not a duplicate.
 */
async function sendMessage(
  client: Client,
  request: OutgoingMessage,
  options: RequestOptions,
): Promise<SendMessageResult> {
  try {
    return await client.sendMessage(toSendRequest(request), options);
  } catch (error) {
    if (!request.isContextOptional || !(error instanceof A2AError)) throw error;
    if (!refusals.has(error.reason)) throw error;
    const { context_id: _, ...rest } = request;
    return await client.sendMessage(toSendRequest(rest), options);
  }
}

/** The reasons (A2A §5.4) with which agents refuse a `contextId` that they do not know. */
const refusals: ReadonlySet<string> = new Set(['INVALID_PARAMS', 'TASK_NOT_FOUND', 'UNSUPPORTED_OPERATION']);

/**
 * Written out, because importing the codec of the SDK's main module would add it to the cold start of every
 * A2A function.
 */
function toSendRequest(request: OutgoingMessage): SendMessageRequest {
  const { messageId, task_id: taskId = '', context_id: contextId = '', metadata, isAnsweredAtOnce } = request;
  const message = {
    messageId,
    role: Role.ROLE_USER,
    parts: toParts(request),
    taskId,
    contextId,
    metadata,
    extensions: [],
    referenceTaskIds: [],
  };
  const configuration = isAnsweredAtOnce ? answeredAtOnce : undefined;
  return { tenant: '', message, configuration, metadata: undefined };
}

const answeredAtOnce: SendMessageRequest['configuration'] = {
  acceptedOutputModes: [],
  historyLength: undefined,
  returnImmediately: true,
  taskPushNotificationConfig: undefined,
};

function toParts({ text, data }: AgentRequest) {
  const nothingElse = { metadata: undefined, filename: '', mediaType: '' };
  return [
    ...(text === undefined ? [] : [{ content: { $case: 'text' as const, value: text }, ...nothingElse }]),
    ...(data === undefined ? [] : [{ content: { $case: 'data' as const, value: data }, ...nothingElse }]),
  ];
}

/**
 * Handles statuses that mean the same for every protocol binding, because errors of the SDK do not carry the
 * status.
 */
function createAgentFetch(
  { fetch }: ConnectionFetch,
  endpoint: AgentEndpoint,
  trace: TraceHeaders | undefined,
): typeof globalThis.fetch {
  return async (input, init) => {
    const carried = new Headers(init?.headers);
    for (const [name, value] of Object.entries(trace ?? {}))
      if (value !== undefined) carried.set(name, value);
    const response = await fetch(input, { ...init, headers: carried, egress: endpoint.egress, limits });
    const refused = refusedStatus(response, endpoint);
    await (refused && response.body?.cancel());
    if (refused) throw refused;
    // Read here, because the SDK reports a connection that breaks in the body as a wrong answer.
    const { status, headers } = response;
    const text = await response.text();
    return new Response(text === '' ? null : text, { status, headers });
  };
}

const redactAnswer = ({ text, data, ...ids }: AgentAnswer, { redact }: ConnectionFetch): AgentAnswer => ({
  ...ids,
  text: redact(text),
  ...(data !== undefined && { data: redactValue(data, redact) }),
});
