// Has the function that evaluates code evaluate some.
import type { CodeCall, CodeOutcome } from '#lib/code/code-call.ts';
import { requireEnv } from '#lib/env.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import { FunctionUnavailable, invokeFunction } from '#lib/invoke-function.ts';
import { retry } from '#lib/retry.ts';

/** The function ends after 10 s; the rest is for starting it. */
const attemptMs = 15_000;
const backoff = { triesMax: 3, pauseMs: 100 };

/** Throws `code.unavailable` after three attempts. */
export async function invokeCodeFunction(request: CodeCall, signal: AbortSignal): Promise<CodeOutcome> {
  const body = JSON.stringify(request);
  let cause: unknown;
  const outcome = await retry(async () => {
    signal.throwIfAborted();
    try {
      return await invoke(body, signal);
    } catch (error) {
      if (!(error instanceof FunctionUnavailable) || signal.aborted) throw error;
      cause = error;
      return undefined;
    }
  }, backoff);
  if (outcome) return outcome;
  throw new NodeError('code.unavailable', 'The code cannot be evaluated now. Try again later.', { cause });
}

async function invoke(body: string, signal: AbortSignal): Promise<CodeOutcome> {
  const text = await invokeFunction(requireEnv('CODE_FUNCTION_NAME'), body, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(attemptMs)]),
  });
  return readOutcome(text);
}

function readOutcome(text: string): CodeOutcome {
  const outcome: unknown = JSON.parse(text);
  if (isOutcome(outcome)) return outcome;
  throw new Error('The function that evaluates code answered something else than an outcome.');
}

const isOutcome = (value: unknown): value is CodeOutcome =>
  typeof value === 'object' && value !== null && ('json' in value || 'failure' in value);
