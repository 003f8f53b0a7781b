// The Invoke operation of the local Lambda, by which a function calls another and waits for its answer.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { errorMessage, explain, type Functions } from './lambda.ts';
import { type HttpListener, startHttpListener } from './listen.ts';

interface LambdaApi extends Pick<HttpListener, 'close'> {
  readonly endpoint: string;
  /** Serves requests, also those that arrived earlier. */
  readonly open: (functions: Functions, log: (line: string) => void) => void;
}

export async function startLambdaApi(): Promise<LambdaApi> {
  const { baseUrl, open, close } = await startHttpListener(0);
  return {
    endpoint: baseUrl,
    close,
    open: (functions, log) => open((request, response) => void answer(request, response, functions, log)),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  functions: Functions,
  log: (line: string) => void,
): Promise<void> {
  const { status, headers, body } = await invoke(request, functions, log);
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

interface ApiAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/**
 * A signature is required, but not verified. Pages of other sites, which browsers let send simple requests to this
 * machine, cannot add one.
 */
async function invoke(
  request: IncomingMessage,
  functions: Functions,
  log: (line: string) => void,
): Promise<ApiAnswer> {
  const [, name] = /^\/2015-03-31\/functions\/([\w-]+)\/invocations$/.exec(request.url ?? '') ?? [];
  if (request.method !== 'POST' || name === undefined)
    return refuse(404, 'UnknownOperationException', 'The local Lambda has only the operation Invoke.');
  if (!request.headers.authorization?.startsWith('AWS4-HMAC-SHA256 '))
    return refuse(403, 'MissingAuthenticationTokenException', 'Missing Authentication Token');
  if (!functions.has(name)) return refuse(404, 'ResourceNotFoundException', `Function not found: ${name}`);
  try {
    return { status: 200, body: await functions.invoke(name, JSON.parse(await text(request))) };
  } catch (error) {
    log(explain(error));
    const body = { errorType: 'Error', errorMessage: errorMessage(error) ?? 'The function failed.' };
    return { status: 200, headers: { 'x-amz-function-error': 'Unhandled' }, body };
  }
}

const refuse = (status: number, type: string, message: string): ApiAnswer => ({
  status,
  headers: { 'x-amzn-errortype': type },
  body: { Type: 'User', Message: message },
});
