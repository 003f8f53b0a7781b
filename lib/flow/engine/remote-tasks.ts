// The tasks of other agents that a run has started and that have not ended. An execution of a node waits for its
// tasks, during a call and while it is paused. Once it does not any more, the tasks are canceled. First a snapshot
// without the execution is stored: a run that resumed from an earlier one would wait for them again.
import type { JsonObject } from '#lib/json/json.ts';
import type { ConnectionDeclaration } from '../format/connection.ts';
import type { AgentAnswer, AgentRequest, CancelTaskPort, RemoteTask } from '../ports/agent.ts';
import { type Budget, chargeAgent } from './budget.ts';
import { findScopeTasks, type ScopeSnapshot } from './snapshot.ts';

export interface OpenTask {
  task: RemoteTask;
  /** Whether the message is sent, or was by an earlier process. */
  isSent: boolean;
  /** What the task has used counts against it. */
  readonly budget: Budget;
}

/** The part of a scope that this file needs (`Cursor`). */
interface TaskScope {
  readonly run: { readonly dropped: Set<OpenTask> };
  readonly budget: Budget;
  readonly inProgress: WaitingExecution | undefined;
}

interface WaitingExecution {
  readonly tasks: Set<OpenTask>;
  readonly children:
    | { readonly open: ReadonlyMap<string, TaskScope>; readonly kept: ReadonlyMap<string, ScopeSnapshot> }
    | undefined;
}

/**
 * The task of a request that is about to be sent: a new one, or one for which the execution waits already. That is so
 * for a message that an earlier process has sent.
 */
export function openTask(
  tasks: Set<OpenTask>,
  request: AgentRequest,
  { attempt, budget, declaration, now: read_at }: Opening,
): OpenTask {
  const { agent, connection, isCardVerified, extensions, egress } = request;
  const { key, text, data, context_id, isContextOptional, metadata } = request;
  const id = request.started_task ?? request.task_id;
  const known = findAnswered(tasks, request, attempt) ?? (id && findTask(tasks, agent, id));
  if (known) {
    known.task = { ...known.task, read_at };
    return known;
  }
  const task = {
    agent,
    egress,
    read_at,
    ...(connection !== undefined && { connection }),
    ...(isCardVerified && { isCardVerified }),
    ...(extensions && { extensions }),
    ...(connection !== undefined && declaration && { declared: { [connection]: toJson(declaration) } }),
    ...(id !== undefined && { task_id: id }),
    message: {
      key,
      attempt,
      metadata,
      ...(text !== undefined && { text }),
      ...(data !== undefined && { data }),
      ...(context_id !== undefined && { context_id }),
      ...(isContextOptional && { isContextOptional }),
    },
  };
  const open = { task, isSent: id !== undefined, budget };
  tasks.add(open);
  return open;
}

interface Opening {
  readonly attempt: number;
  readonly budget: Budget;
  /** In ms since 1970. */
  readonly now: number;
  /** Of the connection of the request. */
  readonly declaration: ConnectionDeclaration | undefined;
}

/** For the snapshot. Not by a schema, which every start of a function would make. */
const toJson = (declaration: ConnectionDeclaration): JsonObject => JSON.parse(JSON.stringify(declaration));

/** A message that the agent has answered is not sent again: its task is read. */
export const withoutAnswered = (request: AgentRequest, attempt: number, open: OpenTask): AgentRequest =>
  open.task.task_id !== undefined && findAnswered([open], request, attempt)
    ? { ...request, started_task: open.task.task_id }
    : request;

const findAnswered = (tasks: Iterable<OpenTask>, request: AgentRequest, attempt: number) =>
  [...tasks].find(
    ({ task }) => task.agent === request.agent && task.message_key === toMessageKey(request, attempt),
  );

const toMessageKey = ({ key }: AgentRequest, attempt: number) => `${key}.${attempt}`;

const findTask = (tasks: Iterable<OpenTask>, agent: string, id: string): OpenTask | undefined =>
  [...tasks].find(({ task }) => task.agent === agent && task.task_id === id);

/** The message is sent, and once the agent has answered, its task is known. Returns whether that is new. */
export function noteTask(tasks: Set<OpenTask>, open: OpenTask, { request, attempt, id }: Noted): boolean {
  open.isSent = true;
  if (id === undefined) return false;
  const isRead = request.started_task !== undefined;
  if (open.task.task_id === id && (isRead || findAnswered([open], request, attempt))) return false;
  // A message that a run sends again after a crash has started its task before.
  const before = findTask(tasks, open.task.agent, id);
  if (before && before !== open) tasks.delete(before);
  open.task = { ...open.task, task_id: id, ...(!isRead && { message_key: toMessageKey(request, attempt) }) };
  return true;
}

interface Noted {
  readonly request: AgentRequest;
  readonly attempt: number;
  /** Undefined while the agent has not answered. */
  readonly id: string | undefined;
}

/** Whether the task continues, or waits for somebody. */
export const isOpenState = (state: AgentAnswer['state']): boolean =>
  state === 'working' || state === 'input_required' || state === 'auth_required';

/** Nobody waits for the task any more. Where its message has not been sent, there is none. */
export function dropTask({ run }: TaskScope, { tasks }: WaitingExecution, open: OpenTask): void {
  tasks.delete(open);
  if (open.isSent) run.dropped.add(open);
}

/** The execution is over, and with it all that it waited for. */
export function dropTasksOfExecution({ run, budget }: TaskScope, execution: WaitingExecution): void {
  for (const open of listOpenTasks(execution, budget)) if (open.isSent) run.dropped.add(open);
  execution.tasks.clear();
}

/** The scope has ended, or is not needed any more. */
export function dropTasksOfScope(scope: TaskScope): void {
  if (scope.inProgress) dropTasksOfExecution(scope, scope.inProgress);
}

/** The same for a scope that is not resumed, in the run of its parent. */
export function dropTasksOfSnapshot({ run, budget }: TaskScope, snapshot: ScopeSnapshot): void {
  for (const task of findScopeTasks(snapshot)) run.dropped.add(restoreTask(task, budget));
}

function listOpenTasks({ tasks, children }: WaitingExecution, budget: Budget): OpenTask[] {
  const kept = [...(children?.kept.values() ?? [])].flatMap(findScopeTasks);
  return [
    ...tasks,
    ...[...(children?.open.values() ?? [])].flatMap((scope) =>
      scope.inProgress ? listOpenTasks(scope.inProgress, scope.budget) : [],
    ),
    ...kept.map((task) => restoreTask(task, budget)),
  ];
}

/** All that the run has started and that has not ended, except those that are being canceled. */
export function listTasksOfRun({ run, inProgress, budget }: TaskScope): RemoteTask[] {
  const waiting = inProgress ? listOpenTasks(inProgress, budget) : [];
  return [...run.dropped, ...waiting].filter(({ isSent }) => isSent).map(({ task }) => task);
}

export const restoreTask = (task: RemoteTask, budget: Budget): OpenTask => ({ task, isSent: true, budget });

/** For the snapshot: a message without an answer is sent again by whoever resumes the run. */
export function storedTasks(tasks: ReadonlySet<OpenTask>): RemoteTask[] | undefined {
  if (tasks.size === 0) return undefined;
  const known = [...tasks].filter(({ task }) => task.task_id !== undefined);
  return known.length === 0 ? undefined : known.map(({ task: { message: _, ...task } }) => task);
}

/**
 * Asks for the cancellation of tasks, once each and without waiting. What they have used is charged when it is
 * known; the run fails with its next step if that was too much.
 */
export function cancelTasks(
  dropped: Set<OpenTask>,
  tasks: readonly OpenTask[],
  cancel: CancelTaskPort | undefined,
): void {
  for (const open of tasks) {
    if (!dropped.delete(open)) continue;
    cancel?.(open.task).then(
      (used) => used && chargeAgent(open.budget, used),
      () => undefined,
    );
  }
}
