// Measures the worst requests of every route, and writes what they cost to docs/security.md: `npm run
// worst-requests`. With `--check` nothing is written, and what costs more than the page says, or than any
// request may, fails: by the best of five times, as a machine may be busy.
import { readFileSync, writeFileSync } from 'node:fs';
import { forkHostsWithConsole } from '#test/support/console-host.ts';
import { type Case, listCases } from './cases.ts';
import { type Cost, newMeter, type SentRequest } from './measure.ts';
import { findFaults, isTooSlow, type Measured, pageWith, toRows } from './page.ts';
import { newWorld } from './world.ts';

/** How often a request that is too slow is measured. */
const triesMax = 5;
const page = new URL('../../docs/security.md', import.meta.url);
const only = process.argv
  .find((word) => word.startsWith('--only='))
  ?.slice('--only='.length)
  .split(',');
const isWanted = ({ route }: Case) => only === undefined || only.some((each) => route.startsWith(each));

const {
  services: [service],
  stop,
} = await forkHostsWithConsole(1);
if (!service) throw new Error('Expected a service.');
const { baseUrl, controlUrl = '', environment } = service;
try {
  Object.assign(process.env, environment);
  const written = readFileSync(page, 'utf8');
  const documented = process.argv.includes('--check') ? written : undefined;
  const measured = await measureAll(documented);
  const faults = findFaults(measured, documented);
  for (const fault of faults) process.stdout.write(`${fault}\n`);
  if (!process.argv.includes('--check') && only === undefined)
    writeFileSync(page, pageWith(written, toRows(measured)));
  process.exitCode = faults.length > 0 ? 1 : 0;
} finally {
  await stop();
}

async function measureAll(documented: string | undefined): Promise<Measured[]> {
  const world = await newWorld(baseUrl);
  const meter = newMeter(baseUrl, controlUrl);
  const all: Measured[] = [];
  for (const each of listCases(world).filter(isWanted)) {
    const cost = await bestCost(each, documented, meter.measure);
    all.push({ ...each, cost });
    if (process.env.VERBOSE) process.stdout.write(`${line(each.route, each.kind, cost)}\n`);
  }
  meter.close();
  return all;
}

/**
 * Only what gets the same answer again is the same request: what is deleted, for one, is so once, while a refusal can be
 * measured again.
 */
async function bestCost(
  { route, sent }: Case,
  documented: string | undefined,
  measure: (sent: SentRequest) => Promise<Cost>,
): Promise<Cost> {
  let best = await measure(sent);
  for (let tries = 1; tries < triesMax && isTooSlow({ route, cost: best }, documented); tries += 1) {
    if (sent.method === 'DELETE' && best.status < 300) break;
    const next = await measure(sent);
    if (next.status === best.status && next.cpuMs < best.cpuMs) best = next;
  }
  return best;
}

function line(route: string, kind: string, { status, cpuMs, sentBytes, answerBytes, answer }: Cost): string {
  const failure = status >= 500 ? answer.slice(0, 200) : '';
  return [route, kind, status, `${cpuMs.toFixed(0)} ms`, `${sentBytes} B`, `${answerBytes} B`, failure].join(
    '\t',
  );
}
