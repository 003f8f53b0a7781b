// A bare HTTP server in front of a handler, instead of API Gateway: it makes the event, and gives a streaming handler the
// response as its stream.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { toCallerIdentity } from '#lib/http/caller-identity.ts';

interface Head {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** The stream that the Lambda runtime gives a handler is that of an HTTP message too. Before functions are loaded. */
export function installResponseStream(): void {
  Object.assign(globalThis, {
    awslambda: {
      streamifyResponse: (handler: object) => handler,
      HttpResponseStream: {
        from: (response: ServerResponse, { statusCode, headers }: Head) =>
          response.writeHead(statusCode, headers),
      },
    },
  });
}

interface Resource {
  readonly resource: string;
  readonly pathParameters: Readonly<Record<string, string>> | null;
}

const timeoutMs = 165_000;

type Invoke = (event: ReturnType<typeof toEvent>, response: ServerResponse) => Promise<void>;

const createListener =
  (served: Resource, invoke: Invoke): RequestListener =>
  (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      invoke(toEvent(served, request, body), response).catch((error) => response.destroy(error));
    });
  };

export const lambdaListener = (handler: CallableFunction, served: Resource): RequestListener =>
  createListener(served, async (event, response) => {
    await Reflect.apply(handler, undefined, [event, response, toContext(event)]);
  });

interface Answered {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * For a handler that returns its answer, which is not checked: the handlers are ours, and this is the process that is
 * measured.
 */
export const bufferedListener = (handler: CallableFunction, served: Resource): RequestListener =>
  createListener(served, async (event, response) => {
    const { statusCode, headers, body }: Answered = await Reflect.apply(handler, undefined, [
      event,
      toContext(event),
    ]);
    response.writeHead(statusCode, headers).end(body);
  });

const toEvent = (served: Resource, request: IncomingMessage, body: string) => ({
  ...served,
  path: request.url,
  httpMethod: request.method,
  multiValueHeaders: request.headersDistinct,
  headers: request.headers,
  multiValueQueryStringParameters: null,
  queryStringParameters: null,
  requestContext: { requestId: randomUUID(), identity: toCallerIdentity('127.0.0.1', null) },
  body,
  isBase64Encoded: false,
});

function toContext({ requestContext }: ReturnType<typeof toEvent>) {
  const deadline = performance.now() + timeoutMs;
  return {
    awsRequestId: requestContext.requestId,
    getRemainingTimeInMillis: () => deadline - performance.now(),
  };
}
