// Our function of the synchronous trigger as a subject, as on AWS: its handler with the events of API Gateway, streaming
// its answers, and the tables of the host that started it. In front of it is a bare HTTP server instead of API Gateway.
// Its arguments are the ids of a workspace and of a flow that is live.
import './zod-as-deployed.ts';
import { createServer } from 'node:http';
import { listen } from '#lib/local/listen.ts';
import { answer, cpuMicros, sayReady } from './answering.ts';
import { installResponseStream, lambdaListener } from './lambda-listener.ts';

const [, , workspace_id = '', trigger_id = ''] = process.argv;

installResponseStream();
const { handler } = await import('#functions/trigger/run.ts');

const served = {
  resource: '/api/v1/ai/trigger/{workspace_id}/{trigger_id}/{environment}',
  pathParameters: { workspace_id, trigger_id, environment: 'live' },
};
answer({ cpu: cpuMicros });
sayReady({ baseUrl: await listen(createServer(lambdaListener(handler, served)), 0) });
