// Takes the snapshot of a run from the state of its scopes.
import { storedTasks } from './remote-tasks.ts';
import { elapsedMs } from './run.ts';
import type { Cursor, NodeExecution } from './scope.ts';
import { type ExecutionSnapshot, type ScopeSnapshot, type Snapshot, snapshotVersion } from './snapshot.ts';

/** The snapshot of the whole run, given the cursor of its root scope. */
export function runSnapshot(root: Cursor): Snapshot {
  const { run, budget } = root;
  const { steps, modelCalls, tokens } = budget.used;
  return {
    version: snapshotVersion,
    ...scopeSnapshot(root),
    steps,
    modelCalls,
    tokens,
    elapsedMs: elapsedMs(run),
    logSeq: run.log.seq(),
    answer: run.answer,
    asked: { ...run.asked },
    received: run.received,
    dropped: storedTasks(run.dropped),
  };
}

/**
 * Shares its values with the cursor, but not what the next execution changes: a run that its request executes
 * stores its last snapshot only if it is interrupted. A field that is undefined is left out of the JSON.
 */
export function scopeSnapshot(cursor: Cursor): ScopeSnapshot {
  const { scope, budget, call, inProgress } = cursor;
  const { used } = budget;
  return {
    next: cursor.node,
    arrivedAt: inProgress ? undefined : cursor.arrivedAt,
    visits: countVisits(cursor),
    nodes: cursor.outputs,
    state: scope.state === cursor.outerState ? undefined : scope.state,
    contexts: isInherited(cursor) ? undefined : cursor.contexts,
    entered: inProgress && executionSnapshot(inProgress),
    over: cursor.result && { ending: cursor.result.ending },
    used: call && { ...used, elapsedMs: callElapsedMs(cursor) },
  };
}

/**
 * With the execution in progress. Not copied after each node, which would take time that grows with the square of the
 * nodes: until the next node has been executed, nothing changes them, and then there is another snapshot, unless these
 * are thinned because of results.
 */
function countVisits({ visits, inProgress, node, run }: Cursor): Readonly<Record<string, number>> {
  if (inProgress) return { ...visits, [node]: inProgress.visit };
  return run.results > 0 ? { ...visits } : visits;
}

const isInherited = ({ contexts, outerContexts }: Cursor) =>
  outerContexts ? contexts === outerContexts : Object.keys(contexts).length === 0;

function executionSnapshot(execution: NodeExecution): ExecutionSnapshot {
  const { attempt, memory, pause, resumeReason: woken, children, startedAt } = execution;
  const more = attempt > 1 ? attempt : undefined;
  const storedAt = execution.storedAt === startedAt ? undefined : execution.storedAt;
  const tasks = storedTasks(execution.tasks);
  if (!children) return { startedAt, storedAt, attempt: more, memory, pause, woken, tasks };
  const scopes = Object.fromEntries(children.kept);
  for (const [name, cursor] of children.open) scopes[name] = scopeSnapshot(cursor);
  const { done, failed } = children;
  const kept = {
    done,
    assigned: isEmpty(children.assigned) ? undefined : children.assigned,
    failed,
    open: scopes,
  };
  return { startedAt, storedAt, attempt: more, memory, pause, woken, tasks, ...kept };
}

const callElapsedMs = ({ run, call }: Cursor): number =>
  call ? call.elapsedBefore + run.ports.clock.monotonic() - call.startedAt : 0;

/** There may be thousands of names. */
function isEmpty(object: object): boolean {
  for (const _name in object) return false;
  return true;
}
