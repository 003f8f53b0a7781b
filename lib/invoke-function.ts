// Invokes another function of the stack and waits for its answer, by the Invoke API of Lambda. One call with one header
// does not need the client of the SDK, which would be the largest part of what a caller loads for it.
import { awsEndpoint, readLambdaCredentials, signedHeaders } from '#lib/aws-post.ts';

/** The same invocation may succeed later. */
export class FunctionUnavailable extends Error {}

/** The JSON of the answer. Rejects with `FunctionUnavailable`, or an error that is a defect. */
export async function invokeFunction(
  name: string,
  body: string,
  { signal }: { readonly signal: AbortSignal },
): Promise<string> {
  const { region, ...keys } = readLambdaCredentials();
  const url = invocationUrl(name, region);
  const headers = await signedHeaders({ url, body, at: new Date() }, keys, { region, service: 'lambda' });
  const request = { method: 'POST', headers, body, redirect: 'error', signal } as const;
  const response = await fetch(url, request).catch(rethrowUnavailable);
  const text = await response.text().catch(rethrowUnavailable);
  const functionError = response.headers.get('x-amz-function-error');
  if (response.ok && functionError === null) return text;
  const detail = `Lambda answered ${response.status} ${functionError ?? ''}: ${text.slice(0, 500)}`;
  // Throttled, out of order, or a function that threw, timed out or ran out of memory.
  if (response.ok || response.status === 429 || response.status >= 500) throw new FunctionUnavailable(detail);
  throw new Error(detail);
}

/** No connection, no answer in time, or an answer that ended early. */
function rethrowUnavailable(cause: unknown): never {
  throw new FunctionUnavailable('Lambda does not answer.', { cause });
}

const invocationUrl = (name: string, region: string): URL =>
  new URL(`/2015-03-31/functions/${encodeURIComponent(name)}/invocations`, awsEndpoint('lambda', region));
