// `npm run demo`: shows the main use of the service step by step, with requests and responses. It uses the
// service that `npm start` runs, or starts its own for the time of the demo.
import { giveUp } from '#lib/cli/give-up.ts';
import { takeNoArguments } from '#lib/cli/script-options.ts';
import { perform, type Stage } from '#lib/local/demo/perform.ts';
import { readReady, resolveHome } from '#lib/local/home.ts';
import { seed } from '#lib/local/seed.ts';
import { startService } from '#lib/local/start-service.ts';

takeNoArguments(`Usage: npm run demo

Shows the main use of the service, at the one that runs or at one of its own.`);
await demo().catch((error) => giveUp(error, 'The demo failed'));

async function demo(): Promise<void> {
  const running = await findRunning();
  if (!running) return await performAlone();
  console.log(`Using the service at ${running.baseUrl}.`);
  await perform(running);
}

async function performAlone(): Promise<void> {
  console.log('No service is running, so the demo starts its own, with its data in memory.');
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
