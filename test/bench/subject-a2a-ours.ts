// Our function of the live URL as a subject, as on AWS: its handler with the events of API Gateway, streaming its
// answers. In front of it is a bare HTTP server instead of API Gateway, and behind it a store in memory instead of the
// tables. Its argument is the id of a flow that is live.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { controlTable, lowLatencyControlTable, runsTable, tableName } from '#lib/dynamo/client.ts';
import { toCallerIdentity } from '#lib/http/caller-identity.ts';
import { listen } from '#lib/local/listen.ts';
import { answer, cpuMicros, sayReady } from './answering.ts';
import { createMemoryStore, moveIntoMemory } from './memory-tables.ts';

const [, , flowId = ''] = process.argv;

interface Head {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** What the Lambda runtime gives a handler that streams. Sends what was written in one piece. */
function createResponseStream(response: ServerResponse) {
  let head: Head = { statusCode: 500, headers: {} };
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
    final: (done) => {
      const body = Buffer.concat(chunks);
      response.writeHead(head.statusCode, { ...head.headers, 'content-length': body.length }).end(body);
      done();
    },
  });
  const setHead = (given: Head) => {
    head = given;
    return stream;
  };
  return Object.assign(stream, { setHead });
}
type ResponseStream = ReturnType<typeof createResponseStream>;

Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: object) => handler,
    HttpResponseStream: { from: (stream: ResponseStream, head: Head) => stream.setHead(head) },
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

function serve(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    invoke(request, Buffer.concat(chunks).toString(), createResponseStream(response)).catch((error) =>
      response.destroy(error),
    );
  });
}

async function invoke(request: IncomingMessage, body: string, stream: ResponseStream): Promise<void> {
  const requestId = randomUUID();
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
  await Reflect.apply(handler, undefined, [event, stream, context]);
}

answer({ cpu: cpuMicros, useMemory, reset: store.reset });
sayReady({ url: await listen(createServer(serve), 0) });
