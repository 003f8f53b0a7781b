// The connector's function as a subject, as on AWS: its handler with the events of API Gateway.
import './zod-as-deployed.ts';
import { createServer } from 'node:http';
import { listen } from '#lib/local/listen.ts';
import { answer, cpuMicros, sayReady } from './answering.ts';
import { installResponseStream, lambdaListener } from './lambda-listener.ts';

installResponseStream();
const { handler } = await import('#functions/connector/serve.ts');
const listener = lambdaListener(handler, { resource: '/api/v1/ai/mcp', pathParameters: null });

answer({ cpu: cpuMicros });
sayReady({ url: `${await listen(createServer(listener), 0)}/api/v1/ai/mcp` });
