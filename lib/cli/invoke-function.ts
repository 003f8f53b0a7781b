// Invokes a Lambda function with the credentials of the operator, and waits for its answer.
import { awsEndpoint, signedHeaders } from '#lib/aws-post.ts';
import { readOperatorCredentials } from './stack-outputs.ts';

/** Longer than the functions take that operators invoke. */
const timeoutMs = 90_000;

/** Needs lambda:InvokeFunction. Rejects if the function fails, with the message of what it threw. */
export async function invokeFunction(name: string, event: object): Promise<unknown> {
  const { region, ...keys } = await readOperatorCredentials();
  const path = `/2015-03-31/functions/${encodeURIComponent(name)}/invocations`;
  const url = new URL(path, awsEndpoint('lambda', region));
  const body = JSON.stringify(event);
  const headers = await signedHeaders({ url, body, at: new Date() }, keys, { region, service: 'lambda' });
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'error', signal });
  const answer = await response.text();
  if (response.ok && !response.headers.has('x-amz-function-error')) return JSON.parse(answer);
  throw new Error(`${name} answered ${response.status}: ${readMessage(answer)}`);
}

function readMessage(answer: string): string {
  try {
    const { errorMessage, Message, message } = JSON.parse(answer);
    return String(errorMessage ?? Message ?? message ?? answer);
  } catch {
    return answer.slice(0, 500);
  }
}
