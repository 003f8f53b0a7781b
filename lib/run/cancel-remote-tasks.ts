// Cancels tasks of other agents that a run has started. Import this file lazily where most runs have none.
import * as z from 'zod';
import { runsTable } from '#lib/dynamo/client.ts';
import { updateItemIf } from '#lib/dynamo/items.ts';
import { findRemoteTasks } from '#lib/flow/engine/snapshot.ts';
import { connectionDeclaration } from '#lib/flow/format/connection.ts';
import type { RemoteTask, UsedByAgent } from '#lib/flow/ports/agent.ts';
import { lazy } from '#lib/lazy.ts';
import type { Log } from '#lib/log.ts';
import { readProgress } from './run-snapshot.ts';
import { createRuntimePorts } from './runtime-ports.ts';
import { isFinal, runKey, type StoredRun } from './stored-run.ts';

/** Best effort, as the agent may not respond. */
export async function cancelTask(
  run: StoredRun,
  task: RemoteTask,
  log: Log,
): Promise<UsedByAgent | undefined> {
  const ports = createRuntimePorts(run, declaredConnections().parse(task.declared ?? {}), {
    onUsage: () => undefined,
  });
  try {
    return await ports.cancelTask(task);
  } catch (error) {
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : 'unknown';
    log.warn('task of another agent not canceled', { run_id: run.run_id, reason });
    return undefined;
  } finally {
    await ports.close();
  }
}

const declaredConnections = /* @__PURE__ */ lazy(() => z.record(z.string(), connectionDeclaration()));

/**
 * The same for a run that has ended while no process executed it, or whose process has died. Nothing happens for any
 * other run, and the second time.
 */
export async function cancelStoredTasks(run: StoredRun | undefined, log: Log): Promise<void> {
  if (!run?.remote_tasks || !isFinal(run.status)) return;
  const { snapshot } = await readProgress(run);
  const tasks = snapshot ? findRemoteTasks(snapshot) : [];
  await Promise.all(tasks.map((task) => cancelTask(run, task, log)));
  await forgetRemoteTasks(run.run_id);
}

/** No message of an ended run cancels its tasks again. */
export async function forgetRemoteTasks(id: string): Promise<void> {
  await updateItemIf(runsTable, runKey(id), {
    UpdateExpression: 'SET remote_tasks = :none',
    ConditionExpression: 'remote_tasks = :some',
    ExpressionAttributeValues: { ':none': false, ':some': true },
  });
}
