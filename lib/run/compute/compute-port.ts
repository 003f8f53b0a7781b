// The port through which runs evaluate what passes its allowance: one thread for the process, begun with the
// first use, and shared by the organisations in turn, so that the backlog of one delays an evaluation of
// another by one evaluation at most.
import type { Compute, ComputePort, ComputeTask } from '#lib/flow/expression/compute.ts';
import { computeFor } from '#lib/flow/expression/compute.ts';
import type { Json } from '#lib/json/json.ts';
import { createAllowances } from './allowances.ts';
import { clock } from './clock.ts';
import { createFairQueue } from './fair-queue.ts';
import type { ComputeThread } from './thread.ts';

interface Waiting {
  readonly task: ComputeTask;
  readonly resolve: (value: Json | Promise<Json>) => void;
  readonly reject: (reason: unknown) => void;
}

/** Gives the port of each organisation. */
export function createComputing(openThread: () => Promise<ComputeThread>): (orgid: string) => ComputePort {
  const allowances = createAllowances(clock.monotonic);
  const queue = createFairQueue<Waiting>();
  let isAtWork = false;

  const work = async () => {
    if (isAtWork) return;
    isAtWork = true;
    for (let next = queue.take(); next; next = queue.take()) await carryOut(next);
    isAtWork = false;
  };
  const carryOut = async ({ task, resolve, reject }: Waiting) => {
    try {
      const thread = await openThread();
      resolve(await thread.run(task));
    } catch (error) {
      reject(error);
    }
  };

  return (orgid) => ({
    allowance: () => allowances(orgid),
    runOnThread: (task, signal) =>
      new Promise((resolve, reject) => {
        const waiting = { task, resolve, reject };
        const leave = () => {
          queue.remove(orgid, waiting);
          reject(signal.reason);
        };
        if (signal.aborted) return leave();
        signal.addEventListener('abort', leave, { once: true });
        queue.add(orgid, waiting);
        void work();
      }),
  });
}

/** The port for runs of flows of that organisation. */
export function computePort(orgid: string): ComputePort {
  shared ??= createComputing(openThread);
  return shared(orgid);
}

let shared: ReturnType<typeof createComputing> | undefined;
let thread: ComputeThread | undefined;

/** No cold start loads it, and few processes ever do. */
async function openThread(): Promise<ComputeThread> {
  thread ??= (await import('./thread.ts')).createThread();
  return thread;
}

/** For an evaluation outside a run. */
export const computeOnce = (orgid: string): Compute | undefined =>
  computeFor({ clock, compute: computePort(orgid) }, (evaluate) => evaluate(new AbortController().signal));
