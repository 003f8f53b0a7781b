// Measures promotions per second over HTTP, in parallel lanes.
import { type Bench, newBuild, newOwner, type Owner, request, rowPath } from './registry-caller.ts';
import { type Row, toFigure } from './row.ts';

const seconds = 3;

/**
 * Each lane has a flow of its own with two builds, and promotes one after the other; then all lanes fight
 * over one flow.
 */
export async function promotionRows(bench: Bench): Promise<Row[]> {
  const owner = await newOwner(bench, 'org_promotions');
  const rows: Row[] = [];
  for (const lanes of [1, 8, 32]) {
    const flows = await Promise.all(
      Array.from({ length: lanes }, (_, n) => twoBuilds(owner, `f-${lanes}-${n}`)),
    );
    rows.push(
      await measureRate(owner, `promotions, ${lanes} ${lanes === 1 ? 'lane' : 'lanes'}, a flow each`, flows),
    );
  }
  const shared = await twoBuilds(owner, 'shared');
  rows.push(
    await measureRate(
      owner,
      'promotions, 8 lanes, one flow, some live already',
      Array.from({ length: 8 }, () => shared),
    ),
  );
  return rows;
}

async function measureRate(owner: Owner, what: string, lanes: readonly (readonly string[])[]): Promise<Row> {
  const rates: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const end = performance.now() + (seconds * 1_000) / 3;
    const counts = await Promise.all(lanes.map((builds) => promoteUntil(end, owner, builds)));
    rates.push(counts.reduce((sum, count) => sum + count, 0) / (seconds / 3));
  }
  return { what, unit: '/s', ours: toFigure(rates) };
}

/** Counts those that were answered with the row live; a lost race (409) is none. */
async function promoteUntil(end: number, owner: Owner, builds: readonly string[]): Promise<number> {
  let count = 0;
  for (let n = 0; performance.now() < end; n += 1) {
    const { status } = await request(owner, 'PUT', `${rowPath}/${builds[n % builds.length]}/promote-live`);
    if (status === 200) count += 1;
  }
  return count;
}

const twoBuilds = async (owner: Owner, flowid: string) => [
  await newBuild(owner, flowid),
  await newBuild(owner, flowid),
];
