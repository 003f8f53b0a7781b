// The permits of runs that requests execute, under any order of starts, ends, deaths of processes and reads, three
// at a time: no run is executed without its permit, no permit is counted twice, and none is lost for good.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runsTable } from '#lib/dynamo/client.ts';
import { getItem } from '#lib/dynamo/items.ts';
import { ServiceError } from '#lib/errors.ts';
import { newRunId } from '#lib/ids.ts';
import { readPermits } from '#lib/limits/permit-items.ts';
import { endIfAbandoned } from '#lib/run/end.ts';
import { finishInline, type InlineRun } from '#lib/run/run-inline.ts';
import { readRun } from '#lib/run/run-items.ts';
import { acquireRunPermit } from '#lib/run/run-permit.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { startedTask } from '#test/support/killed-task.ts';
import { expireLease, passPermitTimes } from '#test/support/runs.ts';
import { seed } from '#test/support/seed.ts';

const orgMax = 4;
const keyMax = 3;
const keys = ['key_one', 'key_two'] as const;
let agent: TestAgent;

beforeAll(async () => {
  agent = await liveAgent({ visibility: 'public' }, await newCaller());
  process.env.LIMITS = JSON.stringify({ org_waiting_runs: orgMax, key_waiting_runs: keyMax });
});
afterAll(() => {
  delete process.env.LIMITS;
});

type Step =
  | 'start one'
  | 'start two'
  /** The process dies between the permit and the header. */
  | 'die early'
  | 'end'
  /** Another process ends the run, keeps its permit, and takes no other. */
  | 'end elsewhere'
  | 'die'
  /** The lease expires while the process lives, which ends the run later. */
  | 'stall'
  | 'end stalled'
  | 'read'
  | 'pass time';
const steps: readonly Step[] = [
  ...(['start one', 'start one', 'start two', 'start two', 'die early'] as const),
  ...([
    'end',
    'end elsewhere',
    'die',
    'stall',
    'end stalled',
    'end stalled',
    'read',
    'pass time',
    'pass time',
  ] as const),
];
const lane = fc.array(fc.constantFrom(...steps), { minLength: 1, maxLength: 12 });

interface World {
  readonly orgid: string;
  /** Executed by a process that renews their leases. */
  readonly living: InlineRun[];
  readonly stalled: InlineRun[];
  readonly dead: InlineRun[];
}

/** False when the limit refuses the run. */
async function start({ orgid, living }: World, id: string): Promise<boolean> {
  try {
    living.push(await startedTask(agent, { orgid, id }));
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'too_many_runs') return false;
    throw error;
  }
}

async function dieEarly({ orgid }: World): Promise<void> {
  const permit = {
    use: 'wait',
    orgid,
    runId: newRunId(),
    keyId: keys[0],
    untilMs: Date.now() + 23_000,
  } as const;
  await acquireRunPermit(permit, Date.now()).catch((error: unknown) => {
    if (!(error instanceof ServiceError)) throw error;
  });
}

async function expire(run: InlineRun | undefined, expired: InlineRun[]): Promise<void> {
  if (!run) return;
  expired.push(run);
  await expireLease(run.run.run_id);
}

async function endElsewhere(run: InlineRun): Promise<void> {
  const { permit } = run.permit;
  await finishInline({ ...run, permit: { permit: { ...permit, orgid: unique('elsewhere') }, held: [] } });
}

async function take(world: World, step: Step): Promise<void> {
  const { orgid, living, stalled, dead } = world;
  switch (step) {
    case 'start one':
      return void (await start(world, keys[0]));
    case 'start two':
      return void (await start(world, keys[1]));
    case 'die early':
      return await dieEarly(world);
    case 'die':
      return await expire(living.shift(), dead);
    case 'stall':
      return await expire(living.shift(), stalled);
    case 'pass time':
      return await passPermitTimes(orgid);
    case 'end':
    case 'end stalled': {
      const run = (step === 'end' ? living : stalled).shift();
      return run && void (await finishInline(run));
    }
    case 'end elsewhere': {
      const run = living.shift();
      return run && (await endElsewhere(run));
    }
    case 'read': {
      const id = [...dead, ...stalled].at(-1)?.run.run_id;
      const run = id === undefined ? undefined : await readRun(id);
      return run && void (await endIfAbandoned(run, Date.now()));
    }
  }
}

async function checkPermits({ orgid, living }: World): Promise<void> {
  const held = (await readPermits({ orgid, use: 'wait' })).map(({ runId }) => runId);
  const item = await getItem(runsTable, { pk: `LIMIT#RUNS#${orgid}`, sk: 'SLOTS' });
  expect(item?.taken ?? 0).toBe(held.length);
  expect(held.length).toBeLessThanOrEqual(orgMax);
  expect(held).toEqual(expect.arrayContaining(living.map(({ run }) => run.run_id)));
}

/** Once all leases of processes that died have expired, every permit can be taken that no run needs. */
async function checkNothingLost(world: World): Promise<void> {
  const { orgid, living } = world;
  await passPermitTimes(orgid);
  for (const key of keys) {
    const ofKey = () => living.filter(({ run }) => run.caller_id === key).length;
    while (ofKey() < keyMax && living.length < orgMax) expect(await start(world, key)).toBe(true);
    expect(await start(world, key)).toBe(false);
  }
  for (const { run } of world.dead) expect((await readRun(run.run_id))?.status).toBe('failed');
  await Promise.all(living.splice(0).map(async (run) => await finishInline(run)));
  const kept = await readPermits({ orgid, use: 'wait' });
  expect(kept.length).toBeLessThanOrEqual(orgMax / 2);
  for (const { runId } of kept) expect((await readRun(runId))?.status).toBe('completed');
}

test('every run that is executed has its permit, which is counted once, and no permit is lost for good', async () => {
  const property = fc.asyncProperty(fc.tuple(lane, lane, lane), async (lanes) => {
    const world: World = { orgid: unique('org'), living: [], stalled: [], dead: [] };
    for (let turn = 0; turn < Math.max(...lanes.map(({ length }) => length)); turn += 1) {
      await Promise.all(lanes.flatMap((each) => each[turn] ?? []).map((step) => take(world, step)));
      await checkPermits(world);
    }
    await checkNothingLost(world);
  });
  await fc.assert(property, { numRuns: process.env.CHAOS === 'full' ? 200 : 25, seed, endOnFailure: true });
});
