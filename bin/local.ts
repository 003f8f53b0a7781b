// `npm start`: the whole service on loopback, seeded, until Ctrl-C.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Seed, seed } from '#lib/local/seed.ts';
import { type Service, startService } from '#lib/local/start-service.ts';

const home = resolve(process.env.AGENT_FLOW_HOME || '.local');
const keyFile = join(home, 'api-key');
const readyFile = join(home, 'ready.json');
/** What the functions see, for those who run one elsewhere (docs/sam.md). */
const environmentFile = join(home, 'environment.json');

const startedAt = performance.now();
await mkdir(home, { recursive: true });
const service = await startService({
  dataDir: join(home, 'data'),
  port: portOf(process.env.PORT),
  log: console.error,
}).catch(giveUp);
const demo = await seed(service);
await writeReady(service, demo);
console.log(welcome(service, demo, (performance.now() - startedAt) / 1_000));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);

function portOf(text = '3000'): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  return giveUp(new Error(`PORT must be a number from 0 (any free port) to 65535, not "${text}".`));
}

function giveUp(error: Error): never {
  console.error(error.message);
  process.exit(1);
}

async function writeReady({ baseUrl, environment }: Service, demo: Seed): Promise<void> {
  await writeFile(environmentFile, JSON.stringify(environment), { mode: 0o600 });
  await writeFile(keyFile, demo.apiKey, { mode: 0o600 });
  const ready = { baseUrl, ...demo, pid: process.pid };
  await writeFile(readyFile, `${JSON.stringify(ready, null, 2)}\n`, { mode: 0o600 });
}

async function stop(): Promise<void> {
  await Promise.all([readyFile, environmentFile].map((file) => rm(file, { force: true })));
  await service.close();
  // A flow that still runs would hold the process.
  process.exit(0);
}

function welcome(
  { baseUrl }: Service,
  { orgid, workspaceid, flowid, registryId }: Seed,
  seconds: number,
): string {
  const key = `$(cat ${keyFile})`;
  const json = `-H 'Content-Type: application/json'`;
  const message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'Where is my order 1042?' }] };
  const rpc = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } };
  return `
Agent Flow Service is ready in ${seconds.toFixed(1)} s at ${baseUrl}

  organisation ${orgid}, workspace ${workspaceid}, API key in ${keyFile}
  example agent "${flowid}", live as ${registryId}; its model is demo-scripted, a script and no real model
  API            ${baseUrl}/openapi.json
  agent (A2A)    ${baseUrl}/api/v1/ai/a2a/${flowid}
  agent card     ${baseUrl}/api/v1/ai/a2a/${flowid}/.well-known/agent-card.json

Trigger the flow and wait for its result:
  curl -sS ${baseUrl}/api/v1/ai/trigger/${workspaceid}/${flowid}/live -H "X-API-Key: ${key}" ${json} -d '{"message":"Where is my order 1042?"}'

Post a webhook event:
  curl -sS ${baseUrl}/api/triggers/webhook/${flowid} -H "Authorization: Bearer ${key}" ${json} -d '{"event":"message.received","data":{"text":"I want a refund"}}'
  Its run is then at ${baseUrl}/api/v1/ai/trigger/status/${workspaceid}/{triggerId}

Call the agent over A2A:
  curl -sS ${baseUrl}/api/v1/ai/a2a/${flowid} -H "X-API-Key: ${key}" -H 'A2A-Version: 1.0' ${json} -d '${JSON.stringify(rpc)}'

See the main job done step by step: npm run demo. Stop with Ctrl-C.`;
}
