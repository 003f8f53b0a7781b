// Streams a task: the task first, then its updates in the order in which they were stored. The stream of a message
// ends when the task asks for the next message (A2A v1.0.1 §3.1.2, §11.7), that of a subscriber when the task has
// ended (§3.1.6). A task that waits for connections continues by itself, so both stay open (§7.6.1).
import { StreamResponse } from '@a2a-js/sdk';
import { ServiceError } from '#lib/errors.ts';
import { withConfigurationLinks } from '#lib/run/configuration-link.ts';
import { heldStream } from '#lib/run/held-stream.ts';
import type { StoredReply } from '#lib/run/output.ts';
import { finishInline, type InlineRun, startUnlessStarted } from '#lib/run/run-inline.ts';
import { type RunView, viewRun } from '#lib/run/state.ts';
import { isFinal, type RunStatus, type StoredEvent, type StoredRun } from '#lib/run/stored-run.ts';
import { A2ARefusal } from './errors.ts';
import { withFileLinks } from './file-links.ts';
import { createOutputFilter, type OutputFilter } from './output-modes.ts';
import { type CallContext, describeTask, findOwnTask } from './own-task.ts';
import type { SendMessageParams } from './params.ts';
import { findStartedTask, prepareStart } from './start-task.ts';
import { followEvents, needsMessage } from './task-events.ts';
import { createUpdates, streamEvents } from './updates.ts';

export async function sendStreamingMessage(
  context: CallContext,
  params: SendMessageParams,
): Promise<AsyncIterable<unknown>> {
  const { message, configuration } = params;
  const filter = createOutputFilter(configuration?.acceptedOutputModes);
  const options = { filter, historyLength: configuration?.historyLength, isEnd: needsMessage };
  const streamKnown = async (view: RunView) =>
    await heldStream(context, 'wait', streamTask(view, context, options));
  if (message.taskId !== undefined) {
    const { followUp } = await import('./follow-up.ts');
    return await streamKnown(await followUp(context, params, message.taskId));
  }
  const known = await findStartedTask(context, params);
  if (known) return await streamKnown(known);
  const start = await prepareStart(context, params);
  const started = await startUnlessStarted(start);
  if (!started) return await streamKnown(await findOwnTask(context, start.runId));
  return streamNewTask(context, started, options);
}

/** Streams the updates from now on, also those that follow the answer of another request to a question. */
export async function subscribeToTask(
  context: CallContext,
  id: string,
  historyLength?: number,
): Promise<AsyncIterable<unknown>> {
  const view = await findOwnTask(context, id);
  if (isFinal(view.status)) throw new A2ARefusal('UNSUPPORTED_OPERATION', 'The task has ended.');
  const options = { filter: createOutputFilter(), historyLength, isEnd: isFinal };
  return await heldStream(context, 'follow', streamTask(view, context, options));
}

/** The task runs in this process. */
function streamNewTask(
  context: CallContext,
  started: InlineRun,
  { filter, historyLength }: StreamOptions,
): AsyncIterable<unknown> {
  const { run } = started;
  let isEnded = false;
  const events = streamEvents(async (onEvent) => {
    const { status } = await finishInline(started, onEvent);
    isEnded = status === 'completed' || status === 'failed';
  });
  return stream();

  async function* stream() {
    yield toTaskResponse(viewRun(run, []), filter, historyLength);
    const updates = createWireUpdates(run, [], filter);
    let last: StoredEvent | undefined;
    for await (const event of events) {
      last = event;
      const linked = await withConfigurationLinks(run, [event], context.caller, Date.now());
      for (const shown of await withFileLinks(run, linked)) yield* updates(shown);
    }
    if (last && needsMessage(last.status)) return;
    if (isEnded) throw new Error('The end of the run could not be recorded.');
    // Events that other processes write: a cancellation, and those of a worker that resumes the run.
    const others = followEvents(run, last?.generation ?? 0, context, needsMessage);
    for await (const event of await heldIfPermitted(context, others)) yield* updates(event);
  }
}

/** A stream that has begun ends at the limit of followers without an error: its client subscribes to continue. */
async function heldIfPermitted<T>(context: CallContext, stream: AsyncIterable<T>): Promise<AsyncIterable<T>> {
  try {
    return await heldStream(context, 'follow', stream);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'too_many_runs') return nothing();
    throw error;
  }
}

async function* nothing(): AsyncGenerator<never> {}

interface StreamOptions {
  readonly filter: OutputFilter;
  readonly historyLength: number | undefined;
  readonly isEnd: (status: RunStatus) => boolean;
}

/** The task may run in another process. */
async function* streamTask(
  view: RunView,
  context: CallContext,
  { filter, historyLength, isEnd }: StreamOptions,
): AsyncGenerator<unknown> {
  yield toTaskResponse(view, filter, historyLength);
  if (isEnd(view.status)) return;
  const updates = createWireUpdates(view.run, view.replies, filter);
  for await (const event of followEvents(view.run, view.run.generation, context, isEnd))
    yield* updates(event);
}

const toTaskResponse = (view: RunView, filter: OutputFilter, historyLength: number | undefined): unknown =>
  StreamResponse.toJSON({
    payload: {
      $case: 'task',
      value: filter.task(describeTask(view, { historyLength, modes: filter.modes })),
    },
  });

function createWireUpdates(run: StoredRun, known: readonly StoredReply[], filter: OutputFilter) {
  const updates = createUpdates(run, known, filter.modes);
  return (event: StoredEvent) => updates(event).map((update) => StreamResponse.toJSON(filter.update(update)));
}
