// A bare HTTP server in front of a streaming handler, instead of API Gateway: it makes the event, and gives the handler
// the response as its stream.
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

export const lambdaListener =
  (handler: CallableFunction, served: Resource): RequestListener =>
  (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      invoke(handler, toEvent(served, request, body), response).catch((error) => response.destroy(error));
    });
  };

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

async function invoke(
  handler: CallableFunction,
  event: ReturnType<typeof toEvent>,
  response: ServerResponse,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  const getRemainingTimeInMillis = () => deadline - performance.now();
  const context = { awsRequestId: event.requestContext.requestId, getRemainingTimeInMillis };
  await Reflect.apply(handler, undefined, [event, response, context]);
}
