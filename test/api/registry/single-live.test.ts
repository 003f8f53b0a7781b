// The invariant of the registry, looked for in random concurrent histories: never two live rows of a flow in
// a workspace, the flow's pointer names exactly the live row, and nothing that was acknowledged is lost. The
// rules run in this process and in others that are killed, against the embedded DynamoDB behind a proxy that
// disturbs them. `npm run chaos` plays more and longer histories than `npm test`.
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AwsProxy, startAwsProxy } from '#test/support/aws-proxy.ts';
import { unique } from '#test/support/caller.ts';
import { type CrashTarget, startCrashTarget } from '#test/support/chaos/crash-target.ts';
import { disturb, randomFrom } from '#test/support/chaos/faults.ts';
import { mutants } from '#test/support/chaos/mutants.ts';
import {
  attempt,
  newCaller,
  type Operation,
  ours,
  type Rules,
  register,
  unlessRefused,
} from '#test/support/chaos/operations.ts';
import { checkMoment, checkRecord, directTo, newWorld, type World } from '#test/support/chaos/world.ts';
import { seed } from '#test/support/seed.ts';

const size =
  process.env.CHAOS === 'full'
    ? { histories: 60, storms: 10, victims: 12, minutes: 15 }
    : { histories: 3, storms: 1, victims: 2, minutes: 1 };

const kinds = ['create', 'promote', 'promote', 'promote', 'rollback', 'delete', 'update'] as const;
const stepOn = (slots: number, of: readonly Step['kind'][] = kinds) =>
  fc.record({ kind: fc.constantFrom(...of), slot: fc.nat(slots - 1) });
type Step = { readonly kind: (typeof kinds)[number]; readonly slot: number };
/** Eight lanes at once, on four rows. */
const history = (of?: readonly Step['kind'][]) =>
  fc.array(fc.array(stepOn(4, of), { minLength: 2, maxLength: 4 }), { minLength: 8, maxLength: 8 });
/** Two hundred changes at once, on eight rows, and where each crashTarget dies. */
const storm = fc.record({
  steps: fc.array(stepOn(8), { minLength: 200, maxLength: 200 }),
  deaths: fc.array(
    fc.record({
      kind: fc.constantFrom<Operation['kind']>('promote', 'rollback', 'delete', 'update'),
      slot: fc.nat(7),
      call: fc.integer({ min: 2, max: 5 }),
      arrives: fc.boolean(),
    }),
    { minLength: size.victims, maxLength: size.victims },
  ),
});

let proxy: AwsProxy;
let database: DynamoDBDocumentClient;
let upstream: string;

beforeAll(async () => {
  upstream = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '';
  if (!upstream) throw new Error('This test needs the local host: run it without BASE_URL.');
  database = directTo(upstream);
  proxy = await startAwsProxy(upstream, disturb(randomFrom(seed)));
  process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.url;
});
afterAll(async () => await proxy.close());

const orderOn = (world: World, kind: Operation['kind'], slot: number): Operation => ({
  kind,
  id: world.slots[slot] ?? '',
  orgid: world.orgid,
  by: unique('op'),
  at: new Date().toISOString(),
});

async function take(world: World, { kind, slot }: Step, rules: Rules): Promise<void> {
  if (kind === 'create') return await replaceSlot(world, slot, rules);
  const said = await attempt(rules, orderOn(world, kind, slot));
  if (said) world.acknowledged.push(said);
}

async function replaceSlot(world: World, slot: number, rules: Rules): Promise<void> {
  const caller = newCaller(world.orgid, unique('op'));
  const row = await unlessRefused(() => register(rules, caller, world.workspaceid, world.flowid));
  if (!row) world.unknownCreates += 1;
  if (!row) return;
  world.ids.push(row.a2aregistryid);
  world.slots[slot] = row.a2aregistryid;
  world.acknowledged.push({ id: row.a2aregistryid, action: 'created', by: caller.id, version: 1 });
}

/** Looks at the world again and again until all that moves in it has come to rest. */
async function watch(world: World, moving: readonly Promise<unknown>[]): Promise<void> {
  let isOver = false;
  const watching = (async () => {
    while (!isOver) await checkMoment(world);
  })();
  const stopWatching = () => {
    isOver = true;
  };
  await Promise.all([watching, Promise.allSettled(moving).then(stopWatching), ...moving]);
  await checkMoment(world);
}

async function play(lanes: readonly (readonly Step[])[], rules: Rules): Promise<World> {
  const world = await newWorld(database, 4);
  const moving = lanes.map(async (steps) => {
    for (const each of steps) await take(world, each, rules);
  });
  await watch(world, moving);
  return world;
}

describe(`at most one row of a flow is live (SEED=${seed})`, () => {
  const options = { seed, endOnFailure: true };
  const timeout = size.minutes * 60_000;

  test.concurrent('in every history of concurrent registrations, promotions, rollbacks, updates and deletions', {
    timeout,
  }, async () => {
    const property = fc.asyncProperty(history(), async (lanes) => await checkRecord(await play(lanes, ours)));
    await fc.assert(property, { ...options, numRuns: size.histories });
    expect(proxy.calls).toContain('TransactWriteItems');
  });

  test.concurrent('also with 200 concurrent changes, and with processes that are killed during theirs', {
    timeout,
  }, async () => {
    const property = fc.asyncProperty(storm, async ({ steps, deaths }) => {
      const victims: CrashTarget[] = await Promise.all(
        deaths.map((death) => startCrashTarget(upstream, death)),
      );
      const world = await newWorld(database, 8);
      const dying = deaths.map(async ({ kind, slot }, n) => {
        const said = await victims[n]?.run(orderOn(world, kind, slot));
        if (said) world.acknowledged.push(said);
      });
      await watch(world, [...dying, ...steps.map((each) => take(world, each, ours))]);
      await checkRecord(world);
    });
    await fc.assert(property, { ...options, numRuns: size.storms });
  });
});

describe(`the check finds, within 50 histories (SEED=${seed}),`, () => {
  const all = mutants(directTo(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? ''));
  test.concurrent.each(all.map((each) => [each.what, each] as const))('%s', async (_what, mutant) => {
    const property = fc.asyncProperty(history(['promote', mutant.kind]), async (lanes) => {
      const world = await play(lanes, mutant.rules);
      if (mutant.finds.source.startsWith('^Lost')) await checkRecord(world);
    });
    const found = fc.assert(property, { seed, endOnFailure: true, numRuns: 50 });
    await expect(found).rejects.toMatchObject({ cause: { message: expect.stringMatching(mutant.finds) } });
  });
});
