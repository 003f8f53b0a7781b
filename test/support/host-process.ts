// The whole service for one test run, in a process of its own: the local host with a model that follows
// rules, all in memory unless DATA_DIR names a folder. Tests reach it over HTTP; that its queues are empty they learn from a small control
// server.
import { subscribe } from 'node:diagnostics_channel';
import { createServer, Server } from 'node:http';
import * as z from 'zod';
import { tenantTemplate } from '#lib/infra/synth.ts';
import { startDemoModel } from '#lib/local/demo-model.ts';
import { startHost } from '#lib/local/host.ts';
import { startIdentityProvider } from '#lib/local/identity-provider.ts';
import { secretAccessKey } from '#lib/local/lambda-environment.ts';
import { closeServer, listen } from '#lib/local/listen.ts';
import { startAwsProxy } from './aws-proxy.ts';
import { startRecorder } from './recording.ts';
import { startScriptedAws } from './scripted-aws.ts';
import { scriptedPrice, startScriptedModel } from './scripted-model.ts';

const [model, scripted, aws, identities] = await Promise.all([
  startDemoModel(),
  startScriptedModel(),
  startScriptedAws({ id: 'local', secret: secretAccessKey }),
  startIdentityProvider({ formerUrl: 'http://127.0.0.1:0', signsInAtOnce: false }),
]);
/**
 * One process does the work of many on AWS, so no test meets these. One that is about limits brings its own.
 */
const unbounded = {
  key_requests: 1_000_000,
  address_requests: 1_000_000,
  address_registrations: 1_000_000,
  org_requests: 1_000_000,
  org_waiting_runs: 500,
  key_waiting_runs: 500,
  org_followed_runs: 500,
  key_followed_runs: 500,
};
const template = tenantTemplate({
  id: process.env.TEST_TENANT ?? 'test',
  models: {
    default: { provider: 'openai-compatible', model: 'demo-scripted', base_url: model.url },
    scripted: {
      provider: 'openai-compatible',
      model: 'scripted',
      base_url: `${scripted.url}/v1`,
      price: scriptedPrice,
    },
    blind: {
      provider: 'openai-compatible',
      model: 'blind',
      base_url: `${scripted.url}/v1`,
      input_types: [],
    },
  },
  modelDefault: 'default',
  limits: process.env.TENANT_LIMITS ? JSON.parse(process.env.TENANT_LIMITS) : unbounded,
  egressAllowPrivate: ['127.0.0.1'],
  browserOrigins: ['https://app.example.com', 'http://localhost:5173'],
  rootAgent: 'root-agent',
  catalog: { publisher: 'agents.example', name: 'Example' },
  signIn: { issuer: identities.url, clientId: identities.clientId },
});
/** Another host, of which this one is to be a second instance. */
const first = process.env.SECOND_INSTANCE_OF
  ? z.record(z.string(), z.string()).parse(JSON.parse(process.env.SECOND_INSTANCE_OF))
  : undefined;
const environment = {
  LOG_LEVEL: 'SILENT',
  POWERTOOLS_METRICS_DISABLED: 'true',
  SIGN_IN_CLIENT_SECRET: identities.clientSecret,
  AWS_ENDPOINT_URL_STS: aws.stsUrl,
  ...(first && {
    GATEWAY_URL: first.GATEWAY_URL ?? '',
    CONTROL_TABLE: first.CONTROL_TABLE ?? '',
    RUNS_TABLE: first.RUNS_TABLE ?? '',
  }),
  ...(process.env.OTHER_ADDRESSES && { OTHER_ADDRESSES: process.env.OTHER_ADDRESSES }),
};
const engines = first && {
  dynamodb: first.AWS_ENDPOINT_URL_DYNAMODB ?? '',
  sqs: first.AWS_ENDPOINT_URL_SQS ?? '',
  kms: first.AWS_ENDPOINT_URL_KMS ?? '',
  s3: first.AWS_ENDPOINT_URL_S3 ?? '',
};
/** All HTTP servers of this process that were asked anything, also those of the embedded engines. */
const servers = new Set<Server>();
subscribe('http.server.request.start', (message) => {
  if (isServerMessage(message)) servers.add(message.server);
});
const { DATA_DIR: dataDir, PUBLIC_URL: publicUrl } = process.env;
const port = Number(process.env.HOST_PORT ?? 0);
const host = await startHost({ template, dataDir, port, environment, engines, publicUrl });
identities.open(publicUrl ?? host.baseUrl);
/** The file to which everything goes that is asked of DynamoDB; or whether it is counted. */
const { RECORD_DYNAMODB, COUNT_DYNAMODB } = process.env;
const counter = COUNT_DYNAMODB ? await startAwsProxy(host.endpoints.dynamodb) : undefined;
const recorder = RECORD_DYNAMODB
  ? await startRecorder(host.endpoints.dynamodb, RECORD_DYNAMODB)
  : (counter ?? { url: host.endpoints.dynamodb, close: async () => {} });
process.env.AWS_ENDPOINT_URL_DYNAMODB = recorder.url;

/** Answered when the queues have nothing that could be delivered now; after `/flush-delayed`, delayed messages and waiting retries included;
 * with `?queue=` of one queue only;
 * after `/close-idle`, without the connections that pools keep for later.
 * `/held` answers at once with what this process holds, `/calls` with how often it has asked DynamoDB, `/cpu` with the processor time it has used. */
const control = createServer(async (request, response) => {
  if (request.url === '/held') return void response.end(JSON.stringify(held()));
  if (request.url === '/calls') return void response.end(String(counter?.calls.length));
  if (request.url === '/cpu') return void response.end(JSON.stringify(process.cpuUsage()));
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://host');
  const queueName = searchParams.get('queue') ?? undefined;
  if (pathname === '/flush-delayed') host.flushDelayedMessages(queueName);
  await host.idle(queueName);
  if (request.url === '/close-idle') for (const server of servers) server.closeIdleConnections();
  response.end();
});

function isServerMessage(message: unknown): message is { readonly server: Server } {
  return (
    typeof message === 'object' && message !== null && 'server' in message && message.server instanceof Server
  );
}

/** After a garbage collection, where node was started with `--expose-gc`. */
function held() {
  globalThis.gc?.();
  return { heapBytes: process.memoryUsage().heapUsed, resources: process.getActiveResourcesInfo() };
}
const controlUrl = await listen(control, 0);

process.once('disconnect', async () => {
  const models = [model.close(), scripted.close(), aws.close(), identities.close()];
  await Promise.all([host.close(), ...models, recorder.close(), closeServer(control)]);
  process.exit();
});
const { baseUrl, tables, queues, keys } = host;
const seen = { ...host.environment, AWS_ENDPOINT_URL_DYNAMODB: recorder.url };
const scriptedModelUrl = scripted.url;
const awsUrl = aws.url;
process.send?.({ baseUrl, controlUrl, scriptedModelUrl, awsUrl, environment: seen, tables, queues, keys });
