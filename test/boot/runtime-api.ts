// The Runtime API of AWS Lambda (version 2018-06-01) for one process: hands out events, and receives a response or an
// error for each. A response is buffered JSON, or streamed: a prelude, eight NUL bytes and the body.
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { preludeEnd } from '#lib/local/lambda-streaming.ts';
import { closeServer, listen } from '#lib/local/listen.ts';

export interface Answer {
  /** Of an HTTP response; undefined for the result of another event. */
  readonly status: number | undefined;
  readonly isStreamed: boolean;
}

export interface RuntimeApi {
  /** `host:port`, the value of AWS_LAMBDA_RUNTIME_API. */
  readonly address: string;
  /** Settles with the first response; rejects with the error that the runtime reports. */
  readonly answer: Promise<Answer>;
  readonly close: () => Promise<void>;
}

const prefix = '/2018-06-01/runtime';
const requestId = '8476a536-e9f4-11e8-9739-2dfe598c3fcd';

export async function startRuntimeApi(event: unknown, timeoutMs: number): Promise<RuntimeApi> {
  const answer = Promise.withResolvers<Answer>();
  answer.promise.catch(() => {});
  let isTaken = false;
  const server = createServer(async (request, response) => {
    const path = request.url?.slice(prefix.length);
    if (request.method === 'GET' && path === '/invocation/next') {
      if (isTaken) return void response.writeHead(410).end();
      isTaken = true;
      response.writeHead(200, {
        'Content-Type': 'application/json',
        'Lambda-Runtime-Aws-Request-Id': requestId,
        'Lambda-Runtime-Deadline-Ms': Date.now() + timeoutMs,
        'Lambda-Runtime-Invoked-Function-Arn': 'arn:aws:lambda:us-east-1:000000000000:function:boot',
        'Lambda-Runtime-Trace-Id': 'Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Sampled=0',
      });
      return void response.end(JSON.stringify(event));
    }
    const body = await buffer(request);
    if (path === `/invocation/${requestId}/response`) settle(answer, () => readAnswer(request, body));
    else answer.reject(new Error(`${path}: ${body.toString().slice(0, 2_000)}`));
    response.writeHead(202).end();
  });
  const url = await listen(server, 0);
  return { address: new URL(url).host, answer: answer.promise, close: () => closeServer(server) };
}

function settle(answer: PromiseWithResolvers<Answer>, read: () => Answer): void {
  try {
    answer.resolve(read());
  } catch (error) {
    answer.reject(error);
  }
}

function readAnswer(request: IncomingMessage, body: Buffer): Answer {
  if (request.headers['lambda-runtime-function-response-mode'] !== 'streaming')
    return { status: readStatus(JSON.parse(body.toString())), isStreamed: false };
  const failed = request.trailers['lambda-runtime-function-error-body'];
  if (failed !== undefined) throw new Error(Buffer.from(failed, 'base64').toString());
  if (request.headers['content-type'] !== 'application/vnd.awslambda.http-integration-response')
    throw new Error(`The streamed response has the type ${request.headers['content-type']}.`);
  const end = body.indexOf(preludeEnd);
  if (end < 0) throw new Error('The streamed response has no eight NUL bytes after its prelude.');
  const status = readStatus(JSON.parse(body.subarray(0, end).toString()));
  if (status === undefined) throw new Error('The prelude of the streamed response has no statusCode.');
  return { status, isStreamed: true };
}

const readStatus = (value: unknown): number | undefined =>
  typeof value === 'object' && value !== null && 'statusCode' in value && typeof value.statusCode === 'number'
    ? value.statusCode
    : undefined;
