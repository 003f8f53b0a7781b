// `npm start`: runs the whole service on loopback, with sample data, until Ctrl-C.
import { rm, writeFile } from 'node:fs/promises';
import { giveUp } from '#lib/cli/give-up.ts';
import { takeNoArguments } from '#lib/cli/script-options.ts';
import { lazy } from '#lib/lazy.ts';
import { chooseModels } from '#lib/local/found-models.ts';
import { type Addresses, openHome, type Ready, readAddresses, resolveHome } from '#lib/local/home.ts';
import { parsePort } from '#lib/local/listen.ts';
import { onParentEnd } from '#lib/local/parent.ts';
import { type Seed, seed } from '#lib/local/seed.ts';
import { type Service, startService } from '#lib/local/start-service.ts';
import { usage } from '#lib/local/usage.ts';
import { welcome } from '#lib/local/welcome.ts';

const startedAt = performance.now();
takeNoArguments(usage);
const home = resolveHome();
await start().catch((error) => giveUp(error));

async function start(): Promise<void> {
  const port = parsePort(process.env.PORT);
  openHome(home);
  if (process.env.AGENT_FLOW_FUNCTIONS === 'bundles') await buildBundles();
  const former = readAddresses(home);
  const models = await chooseModels(process.env);
  const service = await startService({
    dataDir: home.data,
    port,
    former,
    models: models.found,
    log: console.error,
    hasConsole: true,
    signsInAtOnce: true,
  });
  const demo = await seed({ ...service, formerOrdersUrl: former?.ordersUrl, log: console.error });
  const stopOnce = lazy(() => stop(service));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stopOnce());
  if (process.env.npm_lifecycle_event === 'start') onParentEnd(() => void stopOnce());
  await writeFiles(service, demo);
  console.log(welcome(home, demo, { baseUrl: service.baseUrl, seconds: elapsed(), models }));
}

/** If they are not built, or not from the sources as they are. */
async function buildBundles(): Promise<void> {
  const { ensureBuilt } = await import('#lib/infra/build-process.ts');
  await ensureBuilt();
}

function elapsed(): number {
  return (performance.now() - startedAt) / 1_000;
}

/** `ready.json` is written last, because other programs wait for it. */
async function writeFiles({ baseUrl, ordersUrl, issuer, environment }: Service, demo: Seed): Promise<void> {
  const { orgid, workspaceid, flowid, registryId, apiKey } = demo;
  const ready: Ready = { baseUrl, orgid, workspaceid, apiKey, flowid, registryId, pid: process.pid };
  await write(home.addresses, JSON.stringify({ baseUrl, ordersUrl, issuer } satisfies Addresses));
  // The keys of models stay in the process.
  const written = Object.entries(environment).filter(([name]) => !name.startsWith('MODEL_KEY_'));
  await write(home.environment, JSON.stringify(Object.fromEntries(written)));
  await write(home.apiKey, apiKey);
  await write(home.ready, `${JSON.stringify(ready, null, 2)}\n`);
}

async function write(file: string, text: string): Promise<void> {
  await writeFile(file, text, { mode: 0o600 });
}

async function stop(service: Service): Promise<void> {
  await Promise.all([home.ready, home.environment].map((file) => rm(file, { force: true })));
  await service.close();
  // A flow that is still running would keep the process alive.
  process.exit(0);
}
