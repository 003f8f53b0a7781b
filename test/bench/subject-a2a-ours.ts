// Our function of the live URL as a subject, as on AWS: its handler with the events of API Gateway, streaming its
// answers. In front of it is a bare HTTP server instead of API Gateway, and behind it a store in memory instead of the
// tables. Its argument is the id of a flow that is live.
import './zod-as-deployed.ts';
import { createServer } from 'node:http';
import { controlTable, lowLatencyControlTable, runsTable, tableName } from '#lib/dynamo/client.ts';
import { listen } from '#lib/local/listen.ts';
import { answer, cpuMicros, sayReady } from './answering.ts';
import { installResponseStream, lambdaListener } from './lambda-listener.ts';
import { createMemoryTables } from './memory-tables.ts';

const [, , flowId = ''] = process.argv;

installResponseStream();
const { handler } = await import('#functions/a2a/call-live.ts');

const tables = createMemoryTables();
/** After a first message: what this process then remembers of the agent, it has found in the tables. */
const useMemory = async () => {
  await tables.load(controlTable.client, [tableName(controlTable), tableName(runsTable)]);
  for (const client of [controlTable.client, lowLatencyControlTable.client])
    Object.assign(client, { send: tables.send });
  return true;
};

const served = { resource: '/api/v1/ai/a2a/{flowId}', pathParameters: { flowId } };
answer({ cpu: cpuMicros, useMemory, countWrites: tables.countWrites, reset: tables.reset });
sayReady({ url: await listen(createServer(lambdaListener(handler, served)), 0) });
