// The executions of this process, and how they are interrupted when the process is about to stop. Lambda never
// stops a function that is executing; the local host does, and what it runs continues after the next start.
const executions = new Map<AbortController, Promise<unknown>>();
/** From then on, for the rest of the process, an execution is interrupted when it begins. */
let isStopping = false;

/** Lets `interruptRuns` abort the execution and wait for it. */
export async function trackExecution<T>(execute: (interruption: AbortController) => Promise<T>): Promise<T> {
  const interruption = new AbortController();
  if (isStopping) interruption.abort();
  const execution = execute(interruption);
  executions.set(interruption, execution);
  try {
    return await execution;
  } finally {
    executions.delete(interruption);
  }
}

/** What a node does in the meantime cannot always be aborted, and must not keep the process. */
const waitMs = 5_000;

/** Resolves once every execution has handed its run over, at the latest after a few seconds. */
export async function interruptRuns(): Promise<void> {
  isStopping = true;
  for (const interruption of executions.keys()) interruption.abort();
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, waitMs);
  await Promise.race([Promise.allSettled(executions.values()), timeout.promise]);
  clearTimeout(timer);
}
