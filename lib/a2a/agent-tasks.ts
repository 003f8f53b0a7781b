// The operations on the tasks of one agent, over the runs table: nothing lives only in this process. Written by us because the
// SDK's request handler keeps tasks, subscriptions and cancels in memory, which two Lambda instances do not share.
import { Message, StreamResponse, Task } from '@a2a-js/sdk';
import type { Caller } from '#lib/access/caller.ts';
import type { FlowInput } from '#lib/flow/engine.ts';
import { type Excess, excessIn } from '#lib/flow/input-size.ts';
import { newRunId } from '#lib/ids.ts';
import type { Log } from '#lib/log.ts';
import type { StoredRow } from '#lib/registry/stored.ts';
import { toldIn } from '#lib/run/dialogue.ts';
import { endIfAbandoned, endRun } from '#lib/run/end.ts';
import { startInline } from '#lib/run/run-inline.ts';
import type { StoredReply } from '#lib/run/said.ts';
import { heldStream } from '#lib/run/slots/held-stream.ts';
import { startQueued } from '#lib/run/start-queued.ts';
import { type RunView, viewRun } from '#lib/run/state.ts';
import { readEvents, readRun } from '#lib/run/store.ts';
import { isFinal, isPaused, type RunStatus, type StoredEvent, type StoredRun } from '#lib/run/stored.ts';
import { tail } from '#lib/run/tail.ts';
import { answerTask } from './answer-task.ts';
import { A2ARefusal } from './errors.ts';
import { type Tailor, tailor } from './output-modes.ts';
import { type IncomingMessage, type SendMessageParams, textOf, variablesOf } from './params.ts';
import { answerMessage, taskOf } from './task.ts';
import { createUpdates, follow } from './updates.ts';

export interface Conversation {
  readonly row: StoredRow;
  readonly caller: Caller;
  readonly log: Log;
  /** What is left of the function's time, in ms. */
  readonly remainingMs: () => number;
}

/**
 * One result: the task at its end or where it waits for somebody, or as it starts when `returnImmediately`; or the message that the flow ends
 * as. What keeps it from starting is thrown before that.
 */
export async function sendMessage(
  conversation: Conversation,
  params: SendMessageParams,
): Promise<AsyncIterable<unknown>> {
  const { returnImmediately, historyLength, acceptedOutputModes } = params.configuration ?? {};
  const tailored = tailor(acceptedOutputModes);
  const taskIn = (view: RunView) => ({
    task: Task.toJSON(tailored.task(taskOf(view, incomingOf(view.run), historyLength))),
  });
  if (params.message.taskId !== undefined) {
    const { run, status } = await followUp(conversation, params, params.message.taskId);
    const now = async () => taskIn(await currentView(run.run_id));
    if (returnImmediately || isAtRest(status)) return once(now);
    const rested = once(async () => {
      await untilItRests(run, conversation);
      return await now();
    });
    return await heldStream(conversation, rested);
  }
  const start = startOf(conversation, params);
  if (returnImmediately) {
    const queued = viewRun(await startQueued(start), []);
    return once(async () => taskIn(queued));
  }
  const started = await startInline(start);
  return once(async () => {
    await started.finish();
    const view = await currentView(started.run.run_id);
    if (view.as !== 'message') return taskIn(view);
    return { message: Message.toJSON(tailored.message(answerMessage(view))) };
  });
}

async function* once<T>(result: () => Promise<T>): AsyncGenerator<T> {
  yield await result();
}

/** The task first, then what happens to it, in the order in which it was stored. */
export async function sendStreamingMessage(
  conversation: Conversation,
  params: SendMessageParams,
): Promise<AsyncIterable<unknown>> {
  const tailored = tailor(params.configuration?.acceptedOutputModes);
  if (params.message.taskId !== undefined) {
    const view = await followUp(conversation, params, params.message.taskId);
    return await updatesFrom(view, conversation, tailored);
  }
  const started = await startInline(startOf(conversation, params));
  const { run } = started;
  const isEnded = { now: false };
  const events = follow(async (tell) => {
    const { status } = await started.finish(tell);
    isEnded.now = status === 'completed' || status === 'failed';
  });
  return stream();

  async function* stream() {
    yield taskResponse(viewRun(run, []), tailored);
    const updates = updatesFor(run, [], tailored);
    let last: StoredEvent | undefined;
    for await (const event of events) {
      last = event;
      yield* updates(event);
    }
    if (last && isFinal(last.status)) return;
    if (isEnded.now) throw new Error('The end of the run could not be recorded.');
    // What this process did not write: a cancel, and what the worker does after the flow has rested.
    if (last && isPaused(last.status)) return;
    for await (const event of eventsAfter(run, last?.generation ?? 0, conversation)) yield* updates(event);
  }
}

/** The task as it is, then what happens to it from now on (A2A §3.1.6). One that waits for connections may go on by itself (§7.6). */
export async function subscribeToTask(
  conversation: Conversation,
  id: string,
): Promise<AsyncIterable<unknown>> {
  const view = await taskView(conversation, id);
  if (isFinal(view.status)) throw new A2ARefusal('UNSUPPORTED_OPERATION', 'The task is over.');
  return await updatesFrom(view, conversation, tailor(), isStuck);
}

async function updatesFrom(
  view: RunView,
  conversation: Conversation,
  tailored: Tailor,
  isEnd = isAtRest,
): Promise<AsyncIterable<unknown>> {
  return await heldStream(conversation, stream());

  async function* stream() {
    yield taskResponse(view, tailored);
    if (isEnd(view.status)) return;
    const updates = updatesFor(view.run, view.replies, tailored);
    for await (const event of eventsAfter(view.run, view.run.generation, conversation, isEnd))
      yield* updates(event);
  }
}

/** Nothing more comes for a while; a worker may have been so quick. */
const isAtRest = (status: RunStatus): boolean => isFinal(status) || isPaused(status);
/** Nothing more comes without a message to the task. */
const isStuck = (status: RunStatus): boolean => isFinal(status) || status === 'input_required';

function updatesFor(run: StoredRun, known: readonly StoredReply[], tailored: Tailor) {
  const updates = createUpdates(run, known);
  return (event: StoredEvent) =>
    updates(event).map((update) => StreamResponse.toJSON(tailored.update(update)));
}

/** Ends with the run, where it waits for somebody, and with the function's time: the client subscribes again then. */
async function* eventsAfter(
  run: StoredRun,
  generation: number,
  { remainingMs }: Conversation,
  isEnd = isAtRest,
): AsyncGenerator<StoredEvent> {
  for await (const event of tail(run.run_id, generation, remainingMs() - answerMs)) {
    yield event;
    if (isEnd(event.status)) return;
  }
}

async function untilItRests(run: StoredRun, conversation: Conversation): Promise<void> {
  for await (const _event of eventsAfter(run, run.generation, conversation));
}

/** Left of the function's time for the answer. */
const answerMs = 10_000;

const taskResponse = (view: RunView, tailored: Tailor): unknown =>
  StreamResponse.toJSON({
    payload: { $case: 'task', value: tailored.task(taskOf(view, incomingOf(view.run))) },
  });

export async function getTask(
  conversation: Conversation,
  id: string,
  historyLength?: number,
): Promise<unknown> {
  const view = await taskView(conversation, id);
  return Task.toJSON(taskOf(view, incomingOf(view.run), historyLength));
}

/** Canceling twice answers the canceled task; a task that ended otherwise cannot be canceled. */
export async function cancelTask(conversation: Conversation, id: string): Promise<unknown> {
  const before = await taskView(conversation, id);
  const status = isFinal(before.status) ? before.status : await endRun(before.run, { status: 'canceled' });
  if (status !== 'canceled') throw new A2ARefusal('TASK_NOT_CANCELABLE');
  const view = await currentView(id);
  return Task.toJSON(taskOf(view, incomingOf(view.run)));
}

function startOf(conversation: Conversation, params: SendMessageParams) {
  const { message } = params;
  refusePush(params);
  return {
    runId: newRunId(),
    contextId: message.contextId ?? newRunId(),
    ...conversation,
    trigger: 'a2a',
    environment: conversation.row.status,
    flowInput: flowInput(message),
    keepInput: keptInput(message),
  } as const;
}

function refusePush({ configuration }: SendMessageParams): void {
  if (configuration?.taskPushNotificationConfig !== undefined)
    throw new A2ARefusal('PUSH_NOTIFICATION_NOT_SUPPORTED');
}

/** A message to a task is the answer to what it asks; one in its course takes none, and an ended one never does (A2A §3.1.1). */
async function followUp(
  conversation: Conversation,
  params: SendMessageParams,
  taskId: string,
): Promise<RunView> {
  const { message } = params;
  refusePush(params);
  const view = await taskView(conversation, taskId);
  if (message.contextId !== undefined && message.contextId !== view.run.context_id) {
    throw new A2ARefusal('INVALID_PARAMS', undefined, [
      { pointer: '/params/message/contextId', detail: "must be the task's context" },
    ]);
  }
  const isKnown = toldIn(view.events).some(({ messageId }) => messageId === message.messageId);
  if (isFinal(view.status) && !isKnown)
    throw new A2ARefusal('UNSUPPORTED_OPERATION', 'The task is over; send a message without taskId.');
  await answerTask(view, message, conversation.remainingMs() - answerMs);
  return await currentView(taskId);
}

const flowInput = (message: IncomingMessage): FlowInput => ({
  message: textOf(message.parts),
  user_variables: variablesOf(message.parts),
  a2a: {
    message: JSON.parse(JSON.stringify(message)),
    messageId: message.messageId,
    metadata: message.metadata ?? {},
  },
});

/** The input as the worker needs it, and as the history is made of. */
function keptInput(message: IncomingMessage): string {
  const input = flowInput(message);
  const excess = excessIn(input);
  if (!excess) return JSON.stringify(input);
  const { pointer, what } = placeOf[excess.part];
  throw new A2ARefusal('INVALID_PARAMS', undefined, [
    { pointer, detail: `must be smaller: ${what} may have ${excess.bytesMax} bytes of JSON` },
  ]);
}

const whole = { pointer: '/params/message', what: 'the message' };
const placeOf: Readonly<Record<Excess['part'], { readonly pointer: string; readonly what: string }>> = {
  message: { pointer: '/params/message/parts', what: 'their texts' },
  user_variables: { pointer: '/params/message/parts', what: 'their data' },
  event: whole,
  a2a: whole,
  input: { ...whole, what: 'the message, with its texts and data counted twice,' },
};

function incomingOf(run: StoredRun): Message | undefined {
  if (run.input === undefined) return undefined;
  const { a2a }: { a2a?: { message: object } } = JSON.parse(run.input);
  return a2a && messageOf(a2a.message, run.run_id, run.context_id);
}

const messageOf = (message: object, taskId: string, contextId: string): Message =>
  Message.fromJSON({ ...message, taskId, contextId });

/** A task belongs to the agent and to the key that started it; to all others it does not exist. */
async function taskView({ row, caller }: Conversation, id: string): Promise<RunView> {
  const run = await readRun(id);
  const isOfAgent =
    run?.flowid === row.flowid && run.workspaceid === row.workspaceid && run.orgid === row.orgid;
  if (!run || !isOfAgent || run.caller_id !== caller.id || run.caller_orgid !== caller.orgid)
    throw new A2ARefusal('TASK_NOT_FOUND');
  return viewRun(await endIfAbandoned(run, Date.now()), await readEvents(id));
}

async function currentView(id: string): Promise<RunView> {
  const run = await readRun(id);
  if (!run) throw new A2ARefusal('TASK_NOT_FOUND');
  return viewRun(run, await readEvents(id));
}
