// Invokes the function that evaluates code, by the Invoke API of Lambda. One call with one header does not need the
// client of the SDK, which would be the largest part of what a run loads for it.
import { awsEndpoint, readLambdaCredentials, signedHeaders } from '#lib/aws-post.ts';
import type { CodeCall, CodeOutcome } from '#lib/code/code-call.ts';
import { requireEnv } from '#lib/env.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
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
      if (!(error instanceof Unavailable) || signal.aborted) throw error;
      cause = error;
      return undefined;
    }
  }, backoff);
  if (outcome) return outcome;
  throw new NodeError('code.unavailable', 'The code cannot be evaluated now. Try again later.', { cause });
}

/** The same invocation may succeed later. */
class Unavailable extends Error {}

async function invoke(body: string, signal: AbortSignal): Promise<CodeOutcome> {
  const { region, ...keys } = readLambdaCredentials();
  const url = invocationUrl(region);
  const headers = await signedHeaders({ url, body, at: new Date() }, keys, { region, service: 'lambda' });
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body,
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(attemptMs)]),
  }).catch(rethrowUnavailable);
  const text = await response.text().catch(rethrowUnavailable);
  const functionError = response.headers.get('x-amz-function-error');
  if (response.ok && functionError === null) return readOutcome(text);
  const detail = `Lambda answered ${response.status} ${functionError ?? ''}: ${text.slice(0, 500)}`;
  // Throttled, out of order, or a function that threw, timed out or ran out of memory.
  if (response.ok || response.status === 429 || response.status >= 500) throw new Unavailable(detail);
  throw new Error(detail);
}

/** No connection, no answer in time, or an answer that ended early. */
function rethrowUnavailable(cause: unknown): never {
  throw new Unavailable('Lambda does not answer.', { cause });
}

function invocationUrl(region: string): URL {
  const name = encodeURIComponent(requireEnv('CODE_FUNCTION_NAME'));
  return new URL(`/2015-03-31/functions/${name}/invocations`, awsEndpoint('lambda', region));
}

function readOutcome(text: string): CodeOutcome {
  const outcome: unknown = JSON.parse(text);
  if (isOutcome(outcome)) return outcome;
  throw new Error('The function that evaluates code answered something else than an outcome.');
}

const isOutcome = (value: unknown): value is CodeOutcome =>
  typeof value === 'object' && value !== null && ('json' in value || 'failure' in value);
