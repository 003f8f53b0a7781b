// Evaluates code in a thread, one call at a time. The interpreter counts most of its work; what it does not count,
// such as a search in a list whose length is made up, ends with the thread.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { CodeCall, CodeOutcome } from './code-call.ts';
import type { Interpreter } from './web-assembly.ts';

export type EvaluateCode = (call: CodeCall) => Promise<CodeOutcome>;

/** Far above what counted work takes, since the clock keeps running while other programs have the processor. */
const wallMs = (timeoutMs: number): number => 2_000 + 5 * timeoutMs;

/** Of the thread, in which the interpreter and its memory are. */
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

/** The thread starts with the first call, and does not keep the process. */
export function createCodeThread(): EvaluateCode {
  let worker: Promise<Worker> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const run = async (call: CodeCall): Promise<CodeOutcome> => {
    worker ??= startWorker();
    try {
      const used = await worker;
      const outcome = await askWorker(used, call);
      if (outcome) return outcome;
      await used.terminate();
    } catch (error) {
      worker = undefined;
      throw error;
    }
    worker = undefined;
    const message = `The code takes longer than ${call.timeoutMs} ms allow (timeout_ms).`;
    return { failure: { reason: 'timeout', message } };
  };
  return (call) => {
    const outcome = last.then(() => run(call));
    last = outcome.catch(() => undefined);
    return outcome;
  };
}

const isSource = import.meta.url.endsWith('.ts');

/** In the source it is beside this file; a bundle has it beside its own, and the interpreter too. */
const entry = () => new URL(isSource ? './thread-entry.ts' : './code-thread.mjs', import.meta.url);
const interpreterFile = () =>
  isSource
    ? createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm')
    : fileURLToPath(new URL('./interpreter.wasm', import.meta.url));

let interpreter: Promise<Interpreter> | undefined;

async function startWorker(): Promise<Worker> {
  interpreter ??= readFile(interpreterFile()).then((bytes) => WebAssembly.compile(bytes));
  const workerData = await interpreter;
  const worker = new Worker(entry(), { env: {}, execArgv: [], name: 'code', workerData, resourceLimits });
  worker.unref();
  return worker;
}

/** Undefined if the thread has not answered in time. */
function askWorker(worker: Worker, call: CodeCall): Promise<CodeOutcome | undefined> {
  return new Promise((resolve, reject) => {
    const settle = (then: () => void) => {
      clearTimeout(timer);
      worker.off('message', answered).off('error', failed).off('exit', ended).unref();
      then();
    };
    const answered = (outcome: CodeOutcome) => settle(() => resolve(outcome));
    const failed = (error: Error) => settle(() => reject(error));
    const ended = () => failed(new Error('The thread that evaluates code has ended.'));
    const timer = setTimeout(() => settle(() => resolve(undefined)), wallMs(call.timeoutMs));
    // The process stays until the answer is there.
    worker.on('message', answered).on('error', failed).on('exit', ended).ref();
    worker.postMessage(call);
  });
}
