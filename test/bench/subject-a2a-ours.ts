// Our function of the live URL as a subject, as on AWS: its handler with the events of API Gateway, streaming its
// answers. In front of it is a bare HTTP server instead of API Gateway, and behind it a store in memory instead of the
// tables. Its argument is the id of a flow that is live.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { controlTable, lowLatencyControlTable, runsTable, tableName } from '#lib/dynamo/client.ts';
import { toCallerIdentity } from '#lib/http/caller-identity.ts';
import { listen } from '#lib/local/listen.ts';
import { answer, cpuMicros, sayReady } from './answering.ts';
import { createMemoryStore, moveIntoMemory } from './memory-tables.ts';

const [, , flowId = ''] = process.argv;

/** Of the Lambda runtime; the head of the answer goes into that of the HTTP server. */
Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: object) => handler,
    HttpResponseStream: {
      from: (response: ServerResponse, { statusCode, headers }: { statusCode: number; headers: object }) =>
        response.writeHead(statusCode, { ...headers }),
    },
  },
});
const { handler } = await import('#functions/a2a/call-live.ts');

const store = createMemoryStore();
/** After a first message: what this process then remembers of the agent, it has found in the tables. */
const useMemory = async () => {
  await moveIntoMemory(
    store,
    [tableName(controlTable), tableName(runsTable)],
    [controlTable.client, lowLatencyControlTable.client],
  );
  return true;
};

const resource = '/api/v1/ai/a2a/{flowId}';
const timeoutMs = 165_000;

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const requestId = randomUUID();
  const body = await text(request);
  const deadline = performance.now() + timeoutMs;
  const event = {
    resource,
    path: request.url,
    httpMethod: request.method,
    multiValueHeaders: request.headersDistinct,
    headers: request.headers,
    multiValueQueryStringParameters: null,
    queryStringParameters: null,
    pathParameters: { flowId },
    requestContext: { requestId, identity: toCallerIdentity('127.0.0.1', null) },
    body,
    isBase64Encoded: false,
  };
  const context = { awsRequestId: requestId, getRemainingTimeInMillis: () => deadline - performance.now() };
  await Reflect.apply(handler, undefined, [event, response, context]);
}

const server = createServer((request, response) => {
  serve(request, response).catch((error) => response.destroy(error));
});
answer({ cpu: cpuMicros, useMemory, reset: store.reset });
sayReady({ url: await listen(server, 0) });
