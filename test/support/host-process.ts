// The whole service for one test run, in a process of its own: the local host with a model that follows rules, all in memory.
// Tests reach it over HTTP; that its queues are empty they learn from a small control server.
import { createServer } from 'node:http';
import { tenantTemplate } from '#lib/infra/synth.ts';
import { startDemoModel } from '#lib/local/demo-model.ts';
import { startHost } from '#lib/local/host.ts';
import { closeServer, listen } from '#lib/local/listen.ts';

const model = await startDemoModel();
const template = tenantTemplate({
  id: 'test',
  models: { default: { provider: 'openai-compatible', model: 'demo-scripted', base_url: model.url } },
  modelDefault: 'default',
  limits: { key_requests: 1_000_000, org_requests: 1_000_000, org_waiting_runs: 500, key_waiting_runs: 500 },
  egressAllowPrivate: ['127.0.0.1'],
});
const environment = { LOG_LEVEL: 'SILENT', POWERTOOLS_METRICS_DISABLED: 'true' };
const host = await startHost({ template, dataDir: undefined, port: 0, environment });

/** Answered when the queues have nothing that could be delivered now; after `/hurry`, delayed messages and waiting retries included. */
const control = createServer(async (request, response) => {
  if (request.url === '/hurry') host.hurryMessages();
  await host.idle();
  response.end();
});
const controlUrl = await listen(control, 0);

process.once('disconnect', async () => {
  await Promise.all([host.close(), model.close(), closeServer(control)]);
  process.exit();
});
const { baseUrl, tables, queues, keys } = host;
process.send?.({ baseUrl, controlUrl, environment: host.environment, tables, queues, keys });
