// Cancels the tasks of other agents that a run waited for when it was canceled. A canceled run has no process: the
// worker does this with the message that would have resumed the run.
import * as z from 'zod';
import { findRemoteTasks } from '#lib/flow/engine/snapshot.ts';
import { connectionDeclaration } from '#lib/flow/format/connection.ts';
import type { RemoteTask } from '#lib/flow/ports/agent.ts';
import type { Log } from '#lib/log.ts';
import { readProgress } from './run-snapshot.ts';
import { createRuntimePorts } from './runtime-ports.ts';
import type { StoredRun } from './stored-run.ts';

/** Nothing happens for a run that is not canceled, or has never been paused until a time. */
export async function cancelRemoteTasks(run: StoredRun | undefined, log: Log): Promise<void> {
  if (run?.status !== 'canceled' || !run.wake_at) return;
  const { snapshot } = await readProgress(run);
  const tasks = snapshot ? findRemoteTasks(snapshot) : [];
  await Promise.all(tasks.map((task) => cancelTask(run, task, log)));
}

/** Best effort, as the agent may not respond: the run is over either way. */
async function cancelTask(
  run: StoredRun,
  { task_id, declared, ...target }: RemoteTask,
  log: Log,
): Promise<void> {
  const ports = createRuntimePorts(run, declaredConnections.parse(declared ?? {}), () => undefined);
  const request = {
    ...target,
    key: run.run_id,
    metadata: {},
    started_task: task_id,
    patienceMs: 0,
    isLast: true,
  };
  const signal = AbortSignal.timeout(cancelMs);
  try {
    await ports.agent(request, { runId: run.run_id, nodeId: '', visit: 1, attempt: 1, signal });
  } catch (error) {
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : 'unknown';
    log.warn('task of another agent not canceled', { run_id: run.run_id, reason });
  } finally {
    await ports.close();
  }
}

const declaredConnections = z.record(z.string(), connectionDeclaration);
const cancelMs = 30_000;
