// `npm run demo`: the main job in front of the reader, step by step, with what is sent and what comes back. Uses the service that
// `npm start` runs, or starts one of its own for the time of the demo.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { perform, type Stage } from '#lib/local/demo/perform.ts';
import { seed } from '#lib/local/seed.ts';
import { startService } from '#lib/local/start-service.ts';

const running = await findRunning();
if (running) {
  console.log(`Using the service at ${running.baseUrl}.`);
  await perform(running);
} else {
  console.log('No service is running here, so the demo starts one of its own, in memory.');
  const service = await startService({ dataDir: undefined, port: 0, log: console.error });
  try {
    await perform({ baseUrl: service.baseUrl, ...(await seed(service)) });
  } finally {
    await service.close();
  }
}

async function findRunning(): Promise<Stage | undefined> {
  const home = resolve(process.env.AGENT_FLOW_HOME || '.local');
  try {
    const ready: Stage = JSON.parse(await readFile(join(home, 'ready.json'), 'utf8'));
    return (await fetch(`${ready.baseUrl}/health`)).ok ? ready : undefined;
  } catch {
    return undefined;
  }
}
