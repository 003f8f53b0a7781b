// The tasks that `call_agent` starts, continues and waits for: those of the A2A server, called within the process. A
// worker executes them, so that they continue when the response has been sent.
import { randomUUID } from 'node:crypto';
import { readExtensions, requireExtensions } from '#lib/a2a/extensions.ts';
import { type CallContext, findOwnTask, readTask } from '#lib/a2a/own-task.ts';
import type { SendMessageParams } from '#lib/a2a/params.ts';
import { followEvents, isSettled, responseReserveMs } from '#lib/a2a/task-events.ts';
import { a2aRegistryAccess } from '#lib/access/a2a-registry-access.ts';
import { findAgent } from '#lib/environment/find-agent.ts';
import { ServiceError } from '#lib/errors.ts';
import type { InputRequest } from '#lib/flow/engine/pause.ts';
import { tryParse } from '#lib/json/try-parse.ts';
import { heldStream } from '#lib/run/held-stream.ts';
import { type RunView, viewRun } from '#lib/run/state.ts';
import type { StoredEvent } from '#lib/run/stored-run.ts';
import { type ToolCall, ToolError } from './tool.ts';

/** An agent that does not exist and one that the caller may not call give the same error. */
export async function requireAgent(
  registryId: string,
  { request, trace }: Pick<ToolCall, 'request' | 'trace'>,
): Promise<CallContext> {
  const { caller, log, remainingMs, signal } = request;
  const found = await findAgent(registryId);
  if (!found || !a2aRegistryAccess(found.row, caller))
    throw new ToolError(
      'There is no agent with this registry_id that you may call. Use discover_agents to find one.',
    );
  const { row, settings } = found;
  const extensions = readExtensions(row, { address: undefined, headers: {} });
  return { row, settings, status: row.status, caller, extensions, trace, log, remainingMs, signal };
}

export async function startTask(context: CallContext, text: string): Promise<RunView> {
  requireExtensions(context.extensions);
  // Loaded here, because they contain the flow engine, which the other tools do not need.
  const [{ prepareStart }, { startQueued }] = await Promise.all([
    import('#lib/a2a/start-task.ts'),
    import('#lib/run/start.ts'),
  ]);
  const start = await prepareStart(context, { message: buildMessage({ text }) });
  return viewRun(await startQueued(start), []);
}

export const requireTask = async (context: CallContext, taskId: string): Promise<RunView> =>
  await findOwnTask(context, taskId);

interface Answer {
  readonly text: string;
  /** The question that is answered; the only open one by default. */
  readonly questionId?: string;
}

/**
 * Resumes a task that waits for connections, in the same way as the page for connections, unless it is resumed already.
 * No message is sent: it could be taken for the answer to a question that the task asks by then.
 */
export async function wakeTask(context: CallContext, { run }: RunView): Promise<RunView> {
  const { wakeRun } = await import('#lib/run/resume.ts');
  await wakeRun(run.run_id);
  return await readTask(context, run.run_id);
}

/** The message answers the question of a task that is paused. */
export async function answerTask(context: CallContext, view: RunView, answer: Answer): Promise<RunView> {
  const { run_id: taskId } = view.run;
  const [only] = view.requests;
  const asked = view.requests.find(({ id }) => id === answer.questionId) ?? only;
  const message = {
    ...buildMessage(toPart(answer.text, asked)),
    taskId,
    ...(answer.questionId !== undefined && { metadata: { request_id: answer.questionId } }),
  };
  const { followUp } = await import('#lib/a2a/follow-up.ts');
  return await followUp(context, { message }, taskId);
}

const buildMessage = (part: SendMessageParams['message']['parts'][number]) => ({
  messageId: randomUUID(),
  role: 'ROLE_USER' as const,
  parts: [part],
});

/** Models answer in text, also where the question wants a number or an object. */
function toPart(text: string, asked: InputRequest | undefined) {
  const isText = asked?.schema === undefined || asked.schema.type === 'string';
  if (isText && asked?.purpose !== 'approval') return { text };
  const data = tryParse(text);
  return data === undefined ? { text } : { data };
}

interface Wait {
  readonly ms: number;
  readonly signal: AbortSignal;
  readonly onEvent: (event: StoredEvent) => Promise<void>;
}

/** Ends when the task ends or is paused, and when the time is up. The task as it is then. */
export async function waitForTask(context: CallContext, view: RunView, wait: Wait): Promise<RunView> {
  const { ms, signal, onEvent } = wait;
  if (ms === 0) return view;
  const limited = {
    ...context,
    remainingMs: () => Math.min(context.remainingMs(), ms + responseReserveMs),
    signal: AbortSignal.any([context.signal, signal]),
  };
  try {
    const events = followEvents(view.run, view.run.generation, limited, isSettled);
    for await (const event of await heldStream(limited, 'wait', events)) await onEvent(event);
  } catch (error) {
    // The task has begun, so its id must be answered also to a caller who may not wait.
    if (!(error instanceof ServiceError) || error.code !== 'too_many_runs') throw error;
  }
  return await readTask(context, view.run.run_id);
}
