// `npm run demo`: shows the main use of the service step by step, with requests and responses. It uses the
// service that `npm start` runs, if it may, or starts its own for the time of the demo.
import { confirm } from '#lib/cli/confirm.ts';
import { giveUp } from '#lib/cli/give-up.ts';
import { commandLine } from '#lib/cli/script-options.ts';
import { perform, type Stage } from '#lib/local/demo/perform.ts';
import { readReady, resolveHome } from '#lib/local/home.ts';
import { seed } from '#lib/local/seed.ts';
import { startService } from '#lib/local/start-service.ts';

const { readOptions, refuse } = commandLine(`Usage: npm run demo [-- --yes]

Shows the main use of the service. If \`npm start\` runs, it asks whether it may use that service, where it makes another
build of the example agent live, and afterwards the former one again. Otherwise it starts a service of its own.

  --yes  use the service that runs, without asking`);
const { values, positionals } = readOptions({ yes: { type: 'boolean' } });
if (positionals[0] !== undefined) refuse(`Expected no arguments, got ${positionals[0]}.`);
await demo().catch((error) => giveUp(error, 'The demo failed'));

async function demo(): Promise<void> {
  const running = await findRunning();
  if (!running) return await performAlone('No service is running');
  const question = `May the demo make another build live at ${running.baseUrl}, and then the former one again?`;
  if (!values.yes && !(await confirm(question)))
    return await performAlone('The service that runs stays as it is');
  console.log(`Using the service at ${running.baseUrl}.`);
  await perform(running);
}

async function performAlone(reason: string): Promise<void> {
  console.log(`${reason}, so the demo starts its own, with its data in memory.`);
  const service = await startService({ dataDir: undefined, port: 0, log: console.error });
  try {
    await perform({ baseUrl: service.baseUrl, ...(await seed(service)) });
  } finally {
    await service.close();
  }
}

async function findRunning(): Promise<Stage | undefined> {
  const ready = readReady(resolveHome());
  const health = ready && (await fetch(`${ready.baseUrl}/health`).catch(() => undefined));
  return health?.ok ? ready : undefined;
}
