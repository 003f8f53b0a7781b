// Has the tasks of other agents canceled that a run has started and that nobody waits for any more, by the process that
// executes the run.
import { addUse, type Used } from '#lib/flow/engine/budget.ts';
import type { CancelTaskPort, RemoteTask, UsedByAgent } from '#lib/flow/ports/agent.ts';
import type { Log } from '#lib/log.ts';
import { reportsUse } from './call-chain.ts';
import type { cancelTask } from './cancel-remote-tasks.ts';
import { readRun } from './run-items.ts';
import { isFinal, type StoredRun } from './stored-run.ts';

export type TaskCanceler = ReturnType<typeof createTaskCanceler>;

/** For one execution of a run. */
export function createTaskCanceler(run: StoredRun, log: Log) {
  const pending = new Set<Promise<UsedByAgent | undefined>>();
  let open: readonly RemoteTask[] = [];
  const cancel: CancelTaskPort = (task) => {
    const canceled = cancelRemoteTask(run, task, log).finally(() => pending.delete(canceled));
    pending.add(canceled);
    return canceled;
  };
  return {
    cancel,
    /** Receives what is open when the engine returns. */
    keep: (tasks: readonly RemoteTask[]): void => {
      open = tasks;
    },
    hasTasks: (): boolean => open.length > 0,
    /**
     * Before the end of a run is stored that reports what it has used: cancels what is open, and adds what the tasks
     * have used.
     */
    charge: async (used: Readonly<Used>): Promise<Readonly<Used>> => {
      if (!reportsUse(run)) return used;
      const uses = Promise.all(open.map(cancel));
      open = [];
      await Promise.all(pending);
      return (await uses).reduce<Readonly<Used>>((sum, more) => (more ? addUse(sum, more) : sum), used);
    },
    /**
     * After the end of a run is stored, so that nobody waits for other agents. A run that is not over waits for its
     * tasks when it is resumed.
     */
    leave: async (status: string): Promise<void> => {
      if (open.length === 0) return;
      const isOver = status === 'lost' ? await isRunOver(run.run_id) : ends.has(status);
      if (!isOver) return;
      await Promise.all(open.map(cancel));
      const { forgetRemoteTasks } = await import('./cancel-remote-tasks.ts');
      await forgetRemoteTasks(run.run_id);
    },
    /** Call it before the process may be frozen. */
    settle: async (): Promise<void> => void (await Promise.all(pending)),
  };
}

async function cancelRemoteTask(...task: Parameters<typeof cancelTask>): Promise<UsedByAgent | undefined> {
  const { cancelTask } = await import('./cancel-remote-tasks.ts');
  return await cancelTask(...task);
}

const ends: ReadonlySet<string> = new Set(['completed', 'failed']);

/** Whether somebody else has ended the run, and no other process resumes it. */
async function isRunOver(id: string): Promise<boolean> {
  const run = await readRun(id);
  return run !== undefined && isFinal(run.status);
}
