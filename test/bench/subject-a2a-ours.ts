// Our function of the live URL as a subject, as on AWS: its handler with the events of API Gateway, streaming its
// answers. In front of it is a bare HTTP server instead of API Gateway, and behind it a store in memory instead of the
// tables. Its argument is the id of a flow that is live.
import './zod-as-deployed.ts';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { controlTable, lowLatencyControlTable, runsTable, tableName } from '#lib/dynamo/client.ts';
import { toCallerIdentity } from '#lib/http/caller-identity.ts';
import { listen } from '#lib/local/listen.ts';
import { answer, cpuMicros, sayReady } from './answering.ts';
import { createMemoryTables } from './memory-tables.ts';

const [, , flowId = ''] = process.argv;

interface Head {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** The stream that the Lambda runtime gives a handler is that of an HTTP message too. */
Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: object) => handler,
    HttpResponseStream: {
      from: (response: ServerResponse, { statusCode, headers }: Head) =>
        response.writeHead(statusCode, headers),
    },
  },
});
const { handler } = await import('#functions/a2a/call-live.ts');

const tables = createMemoryTables();
/** After a first message: what this process then remembers of the agent, it has found in the tables. */
const useMemory = async () => {
  await tables.load(controlTable.client, [tableName(controlTable), tableName(runsTable)]);
  for (const client of [controlTable.client, lowLatencyControlTable.client])
    Object.assign(client, { send: tables.send });
  return true;
};

const resource = '/api/v1/ai/a2a/{flowId}';
const timeoutMs = 165_000;

function serve(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    invoke(request, Buffer.concat(chunks).toString(), response).catch((error) => response.destroy(error));
  });
}

async function invoke(request: IncomingMessage, body: string, response: ServerResponse): Promise<void> {
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
  await Reflect.apply(handler, undefined, [event, response, context]);
}

answer({ cpu: cpuMicros, useMemory, countWrites: tables.countWrites, reset: tables.reset });
sayReady({ url: await listen(createServer(serve), 0) });
