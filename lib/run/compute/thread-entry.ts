// The thread that evaluates: one task after the other, as they come. It has no environment, and nothing to do
// with the outside but its messages.
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { runTask } from '#lib/flow/engine/compute-task.ts';
import type { ComputeTask } from '#lib/flow/expression/compute.ts';
import { asNodeError } from '#lib/flow/format/node-error.ts';
import { clock } from './clock.ts';
import type { ThreadAnswer } from './thread-message.ts';

// On Linux a thread has a priority of its own. Where there are fewer processors than threads, and on Lambda
// there is often less than one, heartbeats and answers to callers come first.
if (process.platform === 'linux') setPriority(10);

parentPort?.on('message', async (task: ComputeTask) => {
  parentPort?.postMessage(await answerTo(task));
});

async function answerTo(task: ComputeTask): Promise<ThreadAnswer> {
  try {
    return { value: await runTask(task, clock.cpuMs) };
  } catch (thrown) {
    const { code, message, cause } = asNodeError(thrown);
    return { error: { code, message, ...(cause instanceof Error && { cause: String(cause.stack) }) } };
  }
}
