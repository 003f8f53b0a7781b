// `npm run soak -- --seconds 600`: the service under mixed load, in a process of its own, all in memory. In
// the end everything it accepted must be accounted for, and it must hold no more than in the beginning.
// `SEED=…` repeats what is asked, if not when.
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { randomFrom } from '#test/support/chaos/faults.ts';
import { startEffects } from '#test/support/effects.ts';
import { forkHost, type Service } from '#test/support/forked-host.ts';
import { runMain } from '#test/support/run-main.ts';
import { seed } from '#test/support/seed.ts';
import { type Ledger, newLedger } from './ledger.ts';
import { type Caller, chosenDeed } from './load-actions.ts';
import { messagesLeft } from './queues.ts';
import { handleGrowth, heapGrowth, type ResourceUsage, readResourceUsage } from './resource-usage.ts';
import { newWorld, type World } from './world.ts';

const lanes = 8;
/** Before the first rest, modules are loaded, pools opened, code compiled. */
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
    if (faults.length > 0) throw new Error(`${faults.length} things are wrong.`);
    console.log('All that was accepted is accounted for, and nothing grew.');
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

/** What is wrong in the end. */
async function soak(given: Soak): Promise<string[]> {
  const { service, world, ledger, seed, seconds } = given;
  const controlUrl = service.controlUrl ?? '';
  const caller = { world, ledger, random: randomFrom(seed) };
  // How many connections pools keep says how much was done at once, and nothing of leaks.
  const rest = async (): Promise<ResourceUsage> => {
    world.client.closeConnections();
    await fetch(`${controlUrl}/close-idle`);
    return await readResourceUsage(controlUrl);
  };
  const heaps: number[] = [];
  const warmUpSeconds = Math.min(seconds * warmUpPart, warmUpSecondsMax);
  const telling = (signal: AbortSignal) => tell({ ...given, signal });
  await load(caller, warmUpSeconds, [ledger.follow, telling]);
  const before = await rest();
  await load(caller, seconds - warmUpSeconds, [
    ledger.follow,
    telling,
    (signal) => sampleHeap(controlUrl, seconds, heaps, signal),
  ]);
  // A second delivery that met the first waits for its visibility to run out, and then finds the run over.
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

/** With what goes on beside it, until the signal. */
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
      while (performance.now() < until) await chosenDeed(caller.random)(caller);
    }),
  );
  over.abort();
  await Promise.all(besides);
}

/** A dozen times at least, so that a third of them says something. */
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

async function tell({ signal, ...given }: Soak & { readonly signal: AbortSignal }): Promise<void> {
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
    `${ledger.accepted()} accepted, ${ledger.settled()} ended, ${ledger.deadLetters()} poisoned`,
    `heap ${heapMegabytes.toFixed(1)} MB`,
    `${resources.get('TCPSocketWrap') ?? 0} sockets`,
  ].join('  ');
}
