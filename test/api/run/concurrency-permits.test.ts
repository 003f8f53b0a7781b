// How many runs an organisation may wait for: the rule against the real table, at every order of events that
// matters.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { acquirePermit, releasePermit } from '#lib/limits/concurrency-permit.ts';
import {
  freePermits,
  type Permit,
  type PermitUse,
  readPermits,
  takePermit,
} from '#lib/limits/permit-items.ts';
import type { Log } from '#lib/log.ts';
import { type AwsProxy, startAwsProxy, type Verdict } from '#test/support/aws-proxy.ts';
import { newRow, promoted } from '#test/support/builders.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { eventFor, lambdaContext } from '#test/support/events.ts';
import { load } from '#test/support/invocation.ts';
import { askingRun } from '#test/support/run-calls.ts';
import { passPermitTimes } from '#test/support/runs.ts';

const permitsMax = 3;
const ofKeyMax = 2;
const silent: Log = { fields: {}, debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Decides about the writes of permits. */
let judge: (update: string) => Verdict = () => 'pass';
let proxy: AwsProxy;
beforeAll(async () => {
  proxy = await startAwsProxy(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', (operation, body) => {
    const text = body.toString();
    return operation === 'UpdateItem' && text.includes('LIMIT#RUNS#') ? judge(text) : 'pass';
  });
  process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.url;
});
afterAll(() => proxy.close());

beforeEach(() => {
  process.env.LIMITS = JSON.stringify({ org_waiting_runs: permitsMax, key_waiting_runs: ofKeyMax });
});
afterEach(() => {
  judge = () => 'pass';
  delete process.env.LIMITS;
});

const now = Date.now();
const slot = (
  orgid: string,
  untilMs = now + 60_000,
  keyId: string = randomUUID(),
  use: PermitUse = 'wait',
): Permit => ({
  use,
  orgid,
  runId: randomUUID(),
  keyId,
  untilMs,
});
const isTaken = async (wanted: ReturnType<typeof slot>, nowMs = now) =>
  await acquirePermit(wanted, nowMs).then(
    () => true,
    (error: unknown) => {
      expect(error).toMatchObject({ code: 'too_many_runs' });
      return false;
    },
  );

test('at most as many runs as there are permits can be waited for, however many start at the same time', async () => {
  const orgid = unique('org');
  const taken = await Promise.all(Array.from({ length: 12 }, () => isTaken(slot(orgid))));
  expect(taken.filter(Boolean)).toHaveLength(permitsMax);
  expect(await isTaken(slot(unique('org')))).toBe(true);
});

test('a returned permit can be taken again, and only once', async () => {
  const orgid = unique('org');
  const slots = Array.from({ length: permitsMax }, () => slot(orgid));
  for (const each of slots) expect(await isTaken(each)).toBe(true);
  for (let n = 0; n < 3; n += 1) await releasePermit(slots[0] ?? slot(orgid), silent);
  expect(await isTaken(slot(orgid))).toBe(true);
  expect(await isTaken(slot(orgid))).toBe(false);
});

test('permits of processes that died are free again after the deadline of their runs', async () => {
  const orgid = unique('org');
  for (const untilMs of [now + 1_000, now + 1_000, now + 60_000])
    await acquirePermit(slot(orgid, untilMs), now);
  expect(await isTaken(slot(orgid), now)).toBe(false);
  const taken = await Promise.all([1, 2, 3, 4].map(() => isTaken(slot(orgid, now + 90_000), now + 2_000)));
  expect(taken.filter(Boolean).length).toBeGreaterThan(0);
  expect(taken.filter(Boolean).length).toBeLessThanOrEqual(2);
  expect(await isTaken(slot(orgid, now + 90_000), now + 2_000)).toBe(taken.filter(Boolean).length < 2);
});

test('a run that took its permit twice, because a response was lost, holds one', async () => {
  const orgid = unique('org');
  const repeated = slot(orgid);
  for (let n = 0; n < 3; n += 1) expect(await isTaken(repeated)).toBe(true);
  expect([await isTaken(slot(orgid)), await isTaken(slot(orgid)), await isTaken(slot(orgid))]).toEqual([
    true,
    true,
    false,
  ]);
});

test('one key cannot take all permits of its organisation, however many runs it starts at the same time', async () => {
  const [orgid, keyId] = [unique('org'), randomUUID()];
  const ofKey = () => slot(orgid, now + 60_000, keyId);
  const held = [ofKey(), ofKey()];
  for (const each of held) expect(await isTaken(each)).toBe(true);
  expect(await isTaken(ofKey())).toBe(false);
  expect(await isTaken(slot(orgid))).toBe(true);
  await releasePermit(held[0] ?? ofKey(), silent);
  const taken = await Promise.all([ofKey(), ofKey(), ofKey()].map((each) => isTaken(each)));
  expect(taken.filter(Boolean).length).toBeLessThanOrEqual(1);
});

/** A caller whose flow is run by the function of the synchronous trigger in this process. */
async function runner() {
  const caller = await newCaller();
  const row = await promoted(caller, await newRow(caller));
  const { buffered } = await load(() => import('#functions/trigger/run.ts'));
  const params = { workspace_id: caller.workspaceid, trigger_id: row.flowid, environment: 'live' };
  const request = { params, body: { message: 'hello' } };
  const run = async () => {
    const event = eventFor('triggerFlow', { key: caller.key, ...request });
    const answer = await buffered(event, lambdaContext());
    return z
      .object({ statusCode: z.number(), headers: z.record(z.string(), z.string()), body: z.string() })
      .parse(answer);
  };
  return { caller, run, request };
}

test('a trigger beyond the limit gets 429 with Retry-After, and each run returns its permit', async () => {
  const { caller, run } = await runner();
  for (let n = 0; n < permitsMax + 2; n += 1) expect((await run()).statusCode).toBe(200);
  const held = Array.from({ length: permitsMax }, () => slot(caller.orgid, Date.now() + 60_000));
  for (const each of held) await acquirePermit(each, Date.now());
  const refused = await run();
  expect(refused.statusCode).toBe(429);
  expect(refused.headers['retry-after']).toBe('5');
  expect(JSON.parse(refused.body)).toMatchObject({ code: 'too_many_runs' });
  for (const each of held) await releasePermit(each, silent);
  expect((await run()).statusCode).toBe(200);
});

describe('with one permit', () => {
  beforeEach(() => {
    process.env.LIMITS = JSON.stringify({ org_waiting_runs: 1, key_waiting_runs: 1 });
  });

  test('a permit without a run is in use until its time is over, if all responses of the write that takes it are lost', async () => {
    const { caller, run } = await runner();
    judge = () => 'lose answer';
    expect((await run()).statusCode).toBe(503);
    judge = () => 'pass';
    expect((await run()).statusCode).toBe(429);
    await passPermitTimes(caller.orgid);
    for (let n = 0; n < 2; n += 1) expect((await run()).statusCode).toBe(200);
  });

  test.each<[name: string, verdict: Verdict]>([
    ['the write that releases it never arrives', 'reset'],
    ['only the responses of the write that releases it are lost', 'lose answer'],
  ])('a permit whose run has ended is free, even if %s', async (_name, verdict) => {
    const { run } = await runner();
    judge = (update) => (update.includes('REMOVE') ? verdict : 'pass');
    expect((await run()).statusCode).toBe(200);
    judge = () => 'pass';
    for (let n = 0; n < 3; n += 1) expect((await run()).statusCode).toBe(200);
  });

  test('a permit that another process keeps after the end of its run is free', async () => {
    const { caller, run, request } = await runner();
    // The host of the tests is another process than that of the test, with limits of its own.
    expect((await call('triggerFlow', { key: caller.key, ...request })).status).toBe(200);
    expect(await readHeld(caller.orgid)).toHaveLength(1);
    expect((await run()).statusCode).toBe(200);
    expect(await readHeld(caller.orgid)).toEqual([]);
  });
});

const readHeld = async (orgid: string) => await readPermits({ orgid, use: 'wait' });

describe('a process that ends a run', () => {
  beforeEach(() => {
    delete process.env.LIMITS;
  });

  test('keeps its permit, and exchanges it for that of the next run in one write', async () => {
    const { caller, run } = await runner();
    let writes = 0;
    judge = () => {
      writes += 1;
      return 'pass';
    };
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      ids.push(JSON.parse((await run()).body).workflow_id);
      expect(await readHeld(caller.orgid)).toMatchObject([{ runId: ids.at(-1) }]);
    }
    expect(new Set(ids).size).toBe(4);
    expect(writes).toBe(4);
  });

  test('takes a permit as well if another process has removed the one that it has kept', async () => {
    const { caller, run } = await runner();
    await run();
    const scope = { orgid: caller.orgid, use: 'wait' } as const;
    await freePermits(
      scope,
      (await readPermits(scope)).map(({ runId }) => runId),
    );
    expect((await run()).statusCode).toBe(200);
    expect(await readHeld(caller.orgid)).toHaveLength(1);
  });

  test('exchanges it once if the response of the write is lost', async () => {
    const { caller, run } = await runner();
    await run();
    let isLost = false;
    judge = (update) => {
      if (isLost || !update.includes('REMOVE')) return 'pass';
      isLost = true;
      return 'lose answer';
    };
    const { workflow_id } = JSON.parse((await run()).body);
    expect(isLost).toBe(true);
    expect(await readHeld(caller.orgid)).toMatchObject([{ runId: workflow_id }]);
    expect((await run()).statusCode).toBe(200);
  });

  test('keeps none if the others of its item make a kilobyte, and removes those that were left behind', async () => {
    const { caller, run } = await runner();
    const leftBehind = Array.from({ length: 9 }, () => slot(caller.orgid, Date.now() - 600_000));
    for (const each of leftBehind) await takePermit(each, 50);
    const held = slot(caller.orgid, Date.now() + 60_000);
    await takePermit(held, 50);
    expect((await run()).statusCode).toBe(200);
    expect(await readHeld(caller.orgid)).toMatchObject([{ runId: held.runId }]);
    await run();
    expect(await readHeld(caller.orgid)).toHaveLength(2);
  });
});

test('waiting for a change of a status takes a permit of followers meanwhile, and reading the status takes none', async () => {
  const caller = await newCaller();
  const { workspace_id, workflow_id } = await askingRun(caller);
  const { buffered } = await load(() => import('#functions/trigger/get-status.ts'));
  const status = async (query: Readonly<Record<string, string>>) => {
    const params = { workspace_id, workflow_id };
    const event = eventFor('getRun', { key: caller.key, params, query });
    return z
      .object({ statusCode: z.number(), body: z.string() })
      .parse(await buffered(event, lambdaContext()));
  };
  process.env.LIMITS = JSON.stringify({ org_followed_runs: 1, key_followed_runs: 1 });
  for (let n = 0; n < 2; n += 1) expect((await status({ wait: '1' })).statusCode).toBe(200);
  const held = slot(caller.orgid, Date.now() + 60_000, randomUUID(), 'follow');
  await acquirePermit(held, Date.now());
  const refused = await status({ wait: '1' });
  expect(refused.statusCode).toBe(429);
  expect(JSON.parse(refused.body)).toMatchObject({ code: 'too_many_runs' });
  expect((await status({})).statusCode).toBe(200);
});
