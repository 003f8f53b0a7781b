// `npm run soak -- --seconds 600` puts mixed load on the service, which runs in a separate process with all
// data in memory. At the end every accepted request must have had its effect, and the service must not use
// more memory and handles than at the beginning. `SEED=…` repeats the requests, but not their timing.
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { randomFrom } from '#test/support/chaos/faults.ts';
import { startEffects } from '#test/support/effects.ts';
import { forkHost, type Service } from '#test/support/forked-host.ts';
import { runMain } from '#test/support/run-main.ts';
import { seed } from '#test/support/seed.ts';
import { type Ledger, newLedger } from './ledger.ts';
import { type Caller, pickAction } from './load-actions.ts';
import { messagesLeft } from './queues.ts';
import { handleGrowth, heapGrowth, type ResourceUsage, readResourceUsage } from './resource-usage.ts';
import { newWorld, type World } from './world.ts';

const lanes = 8;
/** The warm-up loads modules, opens connection pools and compiles code before the first measurement. */
const warmUpPart = 0.15;
const warmUpSecondsMax = 30;
const lineMs = 10_000;

await runMain(main);

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { seconds: { type: 'string', default: '20' } } });
  const effects = await startEffects();
  const { service, stop } = await forkHost({ nodeOptions: ['--expose-gc'] });
  try {
    Object.assign(process.env, service.environment);
    const world = await newWorld(service.baseUrl, effects);
    const ledger = newLedger(world, effects);
    console.log(`SEED=${seed}: ${values.seconds} s of load by ${lanes} callers.`);
    const startedAt = performance.now();
    const faults = await soak({ service, world, ledger, seed, startedAt, seconds: Number(values.seconds) });
    for (const fault of faults) console.error(`  ${fault}`);
    if (faults.length > 0) throw new Error(`Problems found by the soak test: ${faults.length}.`);
    console.log('Every accepted request had its effect, and resource usage did not grow.');
  } finally {
    await stop();
    await effects.close();
  }
}

interface Soak {
  readonly service: Service;
  readonly world: World;
  readonly ledger: Ledger;
  readonly seed: number;
  readonly startedAt: number;
  readonly seconds: number;
}

/** The problems that were found. */
async function soak(given: Soak): Promise<string[]> {
  const { service, world, ledger, seed, seconds } = given;
  const controlUrl = service.controlUrl ?? '';
  const caller = { world, ledger, random: randomFrom(seed) };
  // Idle connections are closed first, because their number depends on concurrency and does not show leaks.
  const rest = async (): Promise<ResourceUsage> => {
    world.client.closeConnections();
    await fetch(`${controlUrl}/close-idle`);
    return await readResourceUsage(controlUrl);
  };
  const heaps: number[] = [];
  const warmUpSeconds = Math.min(seconds * warmUpPart, warmUpSecondsMax);
  const report = (signal: AbortSignal) => printProgress({ ...given, signal });
  await load(caller, warmUpSeconds, [ledger.follow, report]);
  const before = await rest();
  await load(caller, seconds - warmUpSeconds, [
    ledger.follow,
    report,
    (signal) => sampleHeap(controlUrl, seconds, heaps, signal),
  ]);
  // A second delivery that arrived during the first waits until its visibility timeout ends; the run has then
  // ended.
  await fetch(`${controlUrl}/flush-delayed`);
  await ledger.close();
  const after = await rest();
  console.log(formatLine(given, after));
  return [
    ...ledger.violations,
    ...heapGrowth(heaps),
    ...handleGrowth(before, after),
    ...(await messagesLeft(service)),
  ];
}

/** Runs the load, and the functions `beside` in parallel until it ends. */
async function load(
  caller: Caller,
  seconds: number,
  beside: readonly ((signal: AbortSignal) => Promise<void>)[],
): Promise<void> {
  const over = new AbortController();
  const besides = beside.map((each) => each(over.signal));
  const until = performance.now() + seconds * 1_000;
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      while (performance.now() < until) await pickAction(caller.random)(caller);
    }),
  );
  over.abort();
  await Promise.all(besides);
}

/** Takes at least twelve samples, so that a third of them is meaningful. */
async function sampleHeap(
  controlUrl: string,
  seconds: number,
  heaps: number[],
  signal: AbortSignal,
): Promise<void> {
  const everyMs = Math.min(lineMs, (seconds * 1_000) / 15);
  while (!signal.aborted) {
    heaps.push((await readResourceUsage(controlUrl)).heapMegabytes);
    await setTimeout(everyMs, undefined, { signal }).catch(() => undefined);
  }
}

async function printProgress({ signal, ...given }: Soak & { readonly signal: AbortSignal }): Promise<void> {
  while (!signal.aborted) {
    await setTimeout(lineMs, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted)
      console.log(formatLine(given, await readResourceUsage(given.service.controlUrl ?? '')));
  }
}

function formatLine(
  { world: { client }, ledger, startedAt }: Soak,
  { heapMegabytes, resources }: ResourceUsage,
): string {
  const seconds = (performance.now() - startedAt) / 1_000;
  return [
    `${seconds.toFixed(0).padStart(5)} s`,
    `${client.count()} requests (${(client.count() / seconds).toFixed(0)}/s)`,
    `${ledger.acceptedCount()} accepted, ${ledger.endedCount()} ended, ${ledger.deadLetterCount()} to become dead letters`,
    `heap ${heapMegabytes.toFixed(1)} MB`,
    `${resources.get('TCPSocketWrap') ?? 0} sockets`,
  ].join('  ');
}
