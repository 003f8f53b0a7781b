// The thread that evaluates code. It has no environment variables.
import { parentPort, workerData } from 'node:worker_threads';
import { type CodeOutcome, isCodeCall } from './code-call.ts';
import { evaluateCode } from './sandbox.ts';

const interpreter: unknown = workerData;

parentPort?.on('message', async (call: unknown) => {
  if (!isCodeCall(call) || !(interpreter instanceof WebAssembly.Module)) throw new TypeError('Not a call.');
  const outcome: CodeOutcome = await evaluateCode(interpreter, call);
  parentPort?.postMessage(outcome);
});
