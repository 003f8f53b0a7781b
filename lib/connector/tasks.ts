// The Tasks extension of MCP (`io.modelcontextprotocol/tasks`): a call of an agent that takes long is answered with a
// task, which the client polls, answers and cancels. The task is the run, and its id that of the run.
import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { A2ARefusal } from '#lib/a2a/errors.ts';
import { type CallContext, cancelTask } from '#lib/a2a/own-task.ts';
import type { Request } from '#lib/http/request.ts';
import { runId } from '#lib/ids.ts';
import { readRun } from '#lib/run/run-items.ts';
import type { RunView } from '#lib/run/state.ts';
import { isFinal, isPaused } from '#lib/run/stored-run.ts';
import { answerTask, requireAgent, requireTask, waitForTask } from './agent-task.ts';
import { type Abilities, buildElicitations, parseResponse, readAbilities, readAnswer } from './ask-user.ts';
import { explainRefusal } from './refusal.ts';
import { toCallResult, toTaskAnswer } from './task-answer.ts';
import { type TaskCreated, type ToolCall, ToolError } from './tool.ts';

export const tasksExtension = 'io.modelcontextprotocol/tasks';

const pollIntervalMs = 2_000;

type McpRequest = ServerContext['mcpReq'];

const capabilities = z.object({ extensions: z.object({ [tasksExtension]: z.looseObject({}) }) });

const declaresTasks = ({ envelope }: Pick<McpRequest, 'envelope'>): boolean =>
  capabilities.safeParse(Reflect.get(envelope ?? {}, CLIENT_CAPABILITIES_META_KEY)).success;

/** Undefined for a task that does not work any more, and for clients without the extension. */
export const findTaskHandle = (view: RunView, { mcp, era }: ToolCall): TaskCreated | undefined =>
  era === 'legacy' || !declaresTasks(mcp) || isFinal(view.status) || isPaused(view.status)
    ? undefined
    : { task: { resultType: 'task', ...describe(view), status: 'working' } };

const describe = ({ run }: RunView) => ({
  taskId: run.run_id,
  createdAt: run.created_at,
  lastUpdatedAt: run.updated_at,
  ttlMs: run.ttl * 1_000 - Date.parse(run.created_at),
  pollIntervalMs,
});

const taskParams = z.looseObject({ taskId: z.string() });

export function serveTasks(server: Server, request: Request): void {
  const serve = (method: string, act: (task: OwnTask, mcp: McpRequest) => Promise<object>) =>
    server.setRequestHandler(
      method,
      { params: taskParams, result: z.looseObject({}) },
      async ({ taskId }, { mcpReq }) => {
        requireDeclared(mcpReq);
        return { ...(await act(await requireOwnTask(taskId, request), mcpReq)) };
      },
    );
  serve('tasks/get', async ({ view }, mcp) => toDetailedTask(view, readAbilities({ mcp, era: 'modern' })));
  serve('tasks/update', async (task, mcp) => await update(task, mcp.inputResponses ?? {}, mcp.signal));
  serve('tasks/cancel', async (task) => await cancel(task));
}

function requireDeclared(mcp: McpRequest): void {
  if (declaresTasks(mcp)) return;
  throw new MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [tasksExtension]: {} } },
  });
}

interface OwnTask {
  readonly context: CallContext;
  readonly view: RunView;
}

/** A task of another key, one of an agent that the caller may not call any more, and none at all give the same error. */
async function requireOwnTask(taskId: string, request: Request): Promise<OwnTask> {
  try {
    const run = runId.safeParse(taskId).success ? await readRun(taskId) : undefined;
    if (run?.trigger !== 'a2a') throw noSuchTask();
    const context = await requireAgent(run.a2aregistryid, { request });
    return { context, view: await requireTask(context, taskId) };
  } catch (error) {
    if (error instanceof ToolError || error instanceof A2ARefusal) throw noSuchTask();
    throw error;
  }
}

const noSuchTask = () => new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such task.');

/** A question that the client cannot ask is the result of the call, as without the extension. */
function toDetailedTask(view: RunView, abilities: Abilities): object {
  const task = describe(view);
  if (view.status === 'canceled') return { ...task, status: 'cancelled' };
  if (!isFinal(view.status) && !isPaused(view.status)) return { ...task, status: 'working' };
  const inputRequests = buildElicitations(view, abilities, nameLink(view));
  if (inputRequests) return { ...task, status: 'input_required', inputRequests };
  const answer = toTaskAnswer(view);
  if (!hasDefect(view)) return { ...task, status: 'completed', result: toCallResult(answer) };
  const { text: message } = answer;
  return { ...task, status: 'failed', error: { code: ProtocolErrorCode.InternalError, message } };
}

/** By the service itself, so that it is no failure of the tool. */
const hasDefect = ({ failure }: RunView): boolean => failure?.code === 'internal';

/** Another one each time that the task is paused for connections, since clients ask under a key once. */
const nameLink = ({ run }: RunView): string => `configuration-${run.generation}`;

/** Answers to questions that are not open are ignored. The configuration page resumes the task itself. */
async function update(
  { context, view }: OwnTask,
  responses: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<object> {
  let open = view.requests.length;
  for (const question of view.requests) {
    const response = parseResponse(responses[question.id]);
    const text = response && readAnswer(response, question);
    if (text === undefined) continue;
    const resumed = await answerQuestion(context, view, { text, questionId: question.id });
    open -= 1;
    // One answer resumes the task, which then asks the other questions again.
    if (open > 0) await waitForTask(context, resumed, { ms: pauseMs, signal, onEvent: async () => {} });
  }
  return {};
}

/** Longer than a task takes that has one answer of several. */
const pauseMs = 20_000;

async function answerQuestion(...[context, view, answer]: Parameters<typeof answerTask>): Promise<RunView> {
  try {
    return await answerTask(context, view, answer);
  } catch (error) {
    if (!(error instanceof A2ARefusal)) throw error;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, explainRefusal(error));
  }
}

/** A task that has ended stays as it is. */
async function cancel({ context, view }: OwnTask): Promise<object> {
  if (!isFinal(view.status)) await cancelUnlessEnded(context, view.run.run_id);
  return {};
}

async function cancelUnlessEnded(context: CallContext, taskId: string): Promise<void> {
  try {
    await cancelTask(context, taskId);
  } catch (error) {
    if (!(error instanceof A2ARefusal) || error.reason !== 'TASK_NOT_CANCELABLE') throw error;
  }
}
