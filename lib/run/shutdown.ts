// The executions of this process, and how they are interrupted when the process is about to stop. Lambda never
// stops a function that is executing; the local host does, and what it runs continues after the next start.
let stopping = new AbortController();
const executions = new Set<Promise<unknown>>();

/** Aborts when the process is about to stop. */
export const shutdownSignal = (): AbortSignal => stopping.signal;

/** Lets `interruptRuns` wait for the execution. */
export async function trackExecution<T>(execution: Promise<T>): Promise<T> {
  executions.add(execution);
  try {
    return await execution;
  } finally {
    executions.delete(execution);
  }
}

/** What a node does in the meantime cannot always be aborted, and must not keep the process. */
const waitMs = 5_000;

/** Resolves once every execution has handed its run over, at the latest after a few seconds. */
export async function interruptRuns(): Promise<void> {
  stopping.abort();
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, waitMs);
  await Promise.race([Promise.allSettled(executions), timeout.promise]);
  clearTimeout(timer);
  stopping = new AbortController();
}
