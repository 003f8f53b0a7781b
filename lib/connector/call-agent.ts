// The tool `call_agent`: starts a task of an agent, answers its questions, and waits for its result.
import * as z from 'zod';
import { A2ARefusal } from '#lib/a2a/errors.ts';
import type { CallContext } from '#lib/a2a/own-task.ts';
import { registryId } from '#lib/ids.ts';
import type { RunView } from '#lib/run/state.ts';
import { isFinal, isPaused } from '#lib/run/stored-run.ts';
import { answerTask, requireAgent, requireTask, startTask, waitForTask, wakeTask } from './agent-task.ts';
import { askUser, readAnswer, readResponse } from './ask-user.ts';
import { createProgress } from './progress.ts';
import { explainRefusal } from './refusal.ts';
import { type RequestState, readState } from './request-state.ts';
import { taskAnswer, toTaskAnswer } from './task-answer.ts';
import { findTaskHandle } from './tasks.ts';
import { defineTool, type ToolCall, ToolError, type ToolOutcome } from './tool.ts';

/** Below the 60 s after which most clients give up a request. */
const waitSecondsDefault = 45;
const waitSecondsMax = 120;

export const callAgent = defineTool({
  name: 'call_agent',
  title: 'Call an agent',
  description:
    'Sends a message to an agent, by the registry_id that discover_agents and list_agents return, and waits for its answer. ' +
    'If the agent asks a question, needs a connection or still works, the result has a task_id: call again with it, and with the answer as the message, or "continue" where there is nothing to answer.',
  input: z.strictObject({
    registry_id: registryId.meta({ description: 'The agent.' }),
    message: z
      .string()
      .min(1)
      .meta({ description: 'What the agent is to do, with everything that it needs to know.' }),
    task_id: z
      .uuid()
      .optional()
      .meta({ description: 'A task of this agent that waits for an answer or still works.' }),
    wait_seconds: z
      .int()
      .min(0)
      .max(waitSecondsMax)
      .optional()
      .meta({
        description: `How long to wait for the result, 0 to ${waitSecondsMax}; default ${waitSecondsDefault}.`,
      }),
  }),
  output: taskAnswer,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  call: async (args, call) => {
    const state = readState(call);
    if (state) requireSameCall(state, args);
    const context = await requireAgent(args.registry_id, call);
    const ms = (args.wait_seconds ?? waitSecondsDefault) * 1_000;
    const wait = { ms, signal: call.mcp.signal, onEvent: createProgress(call) };
    if (state) return await continueAsked(context, state, call, wait);
    if (args.task_id === undefined)
      return await answer(await waitFor(context, await startTask(context, args.message), wait), call);
    return await continueTask(context, { taskId: args.task_id, text: args.message }, call, wait);
  },
});

/** A client repeats the arguments with the state, so other arguments mean a state that was taken from another call. */
function requireSameCall(
  { registry_id, task_id }: RequestState,
  args: { readonly registry_id: string; readonly task_id?: string | undefined },
): void {
  if (args.registry_id === registry_id && (args.task_id ?? task_id) === task_id) return;
  throw new ToolError('The requestState is that of another call: send it with the arguments of that call.');
}

type Wait = Parameters<typeof waitForTask>[2];

/** A task that is paused or has ended is not waited for. */
const waitFor = async (context: CallContext, view: RunView, wait: Wait): Promise<RunView> =>
  isFinal(view.status) || isPaused(view.status) ? view : await waitForTask(context, view, wait);

const answer = async (view: RunView, call: ToolCall): Promise<ToolOutcome> =>
  (await askUser(view, call)) ?? findTaskHandle(view, call) ?? toTaskAnswer(view);

interface Continued {
  readonly taskId: string;
  readonly text: string;
}

async function continueTask(
  context: CallContext,
  { taskId, text }: Continued,
  call: ToolCall,
  wait: Wait,
): Promise<ToolOutcome> {
  const view = await requireTask(context, taskId);
  if (isFinal(view.status)) return toTaskAnswer(view, hasEnded);
  if (!isPaused(view.status)) return await answer(await waitForTask(context, view, wait), call);
  if (view.status === 'auth_required')
    return await answer(await waitFor(context, await wakeTask(context, view), wait), call);
  if (isUnasked(view, text)) return await answer(view, call);
  // Of several questions the first one was shown.
  const [question, ...others] = view.requests;
  const answered = question && others.length > 0 ? { text, questionId: question.id } : { text };
  return await resume(context, view, answered, call, wait);
}

/**
 * The page for connections resumes the task, and a task works on between two calls: it may have a question by now that
 * nobody has been shown, and that "continue" does not answer.
 */
const isUnasked = ({ status, requests }: RunView, text: string): boolean =>
  status === 'input_required' &&
  text.trim().toLowerCase() === 'continue' &&
  !requests.some(({ choices }) => choices?.includes(text.trim()));

const hasEnded =
  'This task has ended, so the message was not delivered. Leave out task_id to start another one. Its result:';

interface Answered {
  readonly text: string;
  readonly questionId?: string;
}

async function resume(
  context: CallContext,
  view: RunView,
  answered: Answered,
  call: ToolCall,
  wait: Wait,
): Promise<ToolOutcome> {
  try {
    const resumed = await answerTask(context, view, answered);
    return await answer(await waitFor(context, resumed, wait), call);
  } catch (error) {
    if (!(error instanceof A2ARefusal)) throw error;
    return { ...toTaskAnswer(view, `The answer was not accepted. ${explainRefusal(error)}`), isError: true };
  }
}

/** The client has asked the user, and sends the call again with the answer. */
async function continueAsked(
  context: CallContext,
  { task_id, question }: RequestState,
  call: ToolCall,
  wait: Wait,
): Promise<ToolOutcome> {
  const view = await requireTask(context, task_id);
  const response = readResponse(call);
  if (!response) return toTaskAnswer(view, 'The user has not answered.');
  if (question !== undefined) {
    const asked = view.requests.find(({ id }) => id === question);
    const text = asked && readAnswer(response, asked);
    if (text === undefined) return await answer(await waitFor(context, view, wait), call);
    return await resume(context, view, { text, questionId: question }, call, wait);
  }
  // The page resumes the task itself. The user is not sent there again by the same call, but asked what comes next.
  // If it has done so already, the task may be paused by a question, and nothing happens until the user is asked.
  const isWaiting = view.status === 'auth_required';
  const waited = isWaiting ? await waitForTask(context, view, wait) : await waitFor(context, view, wait);
  return waited.status === 'auth_required' ? toTaskAnswer(waited) : await answer(waited, call);
}
