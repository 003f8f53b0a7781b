// A thread that evaluates one task at a time and is ended when one passes its bounds, whatever it is at. The
// next task starts another.
import { Worker } from 'node:worker_threads';
import { type ComputeTask, stoppedError, tooLargeError } from '#lib/flow/expression/compute.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { Json } from '#lib/json/json.ts';
import type { ThreadAnswer } from './thread-message.ts';

/**
 * CPU ms of one task. An evaluation ends by itself when it has counted its work, at half of that at the
 * latest; the remainder is for reading the task and for loading the language, and for what does not count
 * itself.
 */
const cpuMsUsual = 2 * limits.expressionCpuMs;
/** How often a task that is under way is looked at. */
const lookEveryMs = 200;
/**
 * Looks in a row that the thread leaves unanswered, after which it is ended too. They are counted because
 * clocks go on while a process is frozen.
 */
const unansweredMax = 150;
/**
 * The heap of the thread. What an evaluation keeps is bounded to some 150 MB; the functions that run flows
 * have 512 MB in all.
 */
const heapMegabytesMax = 192;
/**
 * The young generation of its heap. Node ends a thread at its limit with 16 MB of leeway: what a collection
 * moves to the old generation at once must fit into that, or the whole process aborts. 16 MB a half, as
 * usual, may be more.
 */
const youngMegabytesMax = 8;

export interface ComputeThread {
  /** One at a time: the next only when the promise has settled. */
  readonly run: (task: ComputeTask) => Promise<Json>;
}

interface ThreadOptions {
  readonly entry: URL;
  readonly cpuMsMax: number;
}

/** Given other options by tests alone. */
export function createThread({ entry, cpuMsMax }: ThreadOptions = usual()): ComputeThread {
  let worker: Worker | undefined;
  const forget = (ended: Worker) => {
    if (worker === ended) worker = undefined;
  };
  return {
    run: async (task) => {
      worker ??= start(entry);
      const used = worker;
      try {
        return await evaluateTask(used, task, cpuMsMax);
      } finally {
        // One that has failed is on its way to its end.
        if (hasEnded(used)) forget(used);
        used.unref();
      }
    },
  };
}

const usual = (): ThreadOptions => ({ entry: ownEntry(), cpuMsMax: cpuMsUsual });

/** In the source it lies beside this file; a bundle has it beside its own. */
const ownEntry = () =>
  new URL(import.meta.url.endsWith('.ts') ? './thread-entry.ts' : './compute-thread.mjs', import.meta.url);

const ended = new WeakSet<Worker>();
const hasEnded = (worker: Worker) => ended.has(worker);

function start(entry: URL): Worker {
  const worker = new Worker(entry, {
    env: {},
    execArgv: [],
    name: 'compute',
    resourceLimits: {
      maxOldGenerationSizeMb: heapMegabytesMax,
      maxYoungGenerationSizeMb: youngMegabytesMax,
    },
  });
  const over = () => void ended.add(worker);
  worker.once('error', over).once('exit', over);
  return worker;
}

async function evaluateTask(worker: Worker, task: ComputeTask, cpuMsMax: number): Promise<Json> {
  // The process may not end before the answer is there, and need not stay for a thread that waits.
  worker.ref();
  const end = new AbortController();
  try {
    const { signal } = end;
    const answer = await Promise.race([
      answered(worker, task, signal),
      stopped(worker, task, { cpuMsMax, signal }),
    ]);
    if ('value' in answer) return answer.value;
    const { code, message, cause } = answer.error;
    throw new NodeError(code, message, { ...(cause !== undefined && { cause }) });
  } finally {
    end.abort();
  }
}

function answered(worker: Worker, task: ComputeTask, signal: AbortSignal): Promise<ThreadAnswer> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error & { readonly code?: string }) =>
      reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooLargeError(task) : error);
    const exited = () => reject(new Error('The thread that evaluates has ended.'));
    worker.once('message', resolve).once('error', failed).once('exit', exited);
    signal.addEventListener('abort', () => {
      worker.off('message', resolve).off('error', failed).off('exit', exited);
    });
    worker.postMessage(task);
  });
}

/** Rejects once the thread has been ended because the task took too much of it. */
function stopped(
  worker: Worker,
  task: ComputeTask,
  { cpuMsMax, signal }: { readonly cpuMsMax: number; readonly signal: AbortSignal },
): Promise<never> {
  return new Promise((_resolve, reject) => {
    let unanswered = 0;
    let cpuMs = 0;
    let before: number | undefined;
    const hear = ({ user, system }: NodeJS.CpuUsage) => {
      const now = (user + system) / 1_000;
      before ??= now;
      unanswered = 0;
      cpuMs = now - before;
    };
    const look = () => {
      worker.cpuUsage().then(hear, () => undefined);
      unanswered += 1;
      if (cpuMs <= cpuMsMax && unanswered <= unansweredMax) return;
      clearInterval(timer);
      ended.add(worker);
      void worker.terminate();
      reject(stoppedError(task));
    };
    const timer = setInterval(look, lookEveryMs);
    signal.addEventListener('abort', () => clearInterval(timer));
    look();
  });
}
