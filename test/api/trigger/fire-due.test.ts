// The tick of the clock, in this process, at times of the test's choosing; crashes are calls that fail or
// whose answer gets lost.
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { handler } from '#functions/trigger/fire-due.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import { updateItem } from '#lib/dynamo/items.ts';
import { requestLog } from '#lib/log.ts';
import { readRun } from '#lib/run/run-items.ts';
import { clockCount, shardOf, shardsOf } from '#lib/schedule/due-shards.ts';
import { deriveScheduledRunId, fireDue } from '#lib/trigger/fire-due.ts';
import { readTrigger } from '#lib/trigger/trigger-items.ts';
import { type AwsProxy, startAwsProxy, type Verdict } from '#test/support/aws-proxy.ts';
import { flow } from '#test/support/builders.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { lambdaContext } from '#test/support/events.ts';
import { callingFlow, liveAgent, type TestAgent } from '#test/support/flows.ts';
import { takeDeadLetter } from '#test/support/runs.ts';
import { newTrigger } from '#test/support/triggers.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

const minute = 60_000;
let upstream: Upstream;
let judge: (service: string, operation: string, body: Buffer) => Verdict = () => 'pass';
const proxies: AwsProxy[] = [];
/** The keys of triggers of this test, by their ids. */
const declared = new Map<string, string>();

beforeAll(async () => {
  upstream = await startUpstream();
  for (const service of ['DYNAMODB', 'SQS']) {
    const name = `AWS_ENDPOINT_URL_${service}`;
    const proxy = await startAwsProxy(process.env[name] ?? '', (operation, body) =>
      judge(service, operation, body),
    );
    proxies.push(proxy);
    process.env[name] = proxy.url;
  }
  process.env.RUN_QUEUE_URL = process.env.RUN_QUEUE_URL?.replace(/^http:\/\/[^/]+/, proxies[1]?.url ?? '');
});
afterEach(async () => {
  judge = () => 'pass';
  // Later tests tick at later times.
  for (const [trigger_id, key] of declared) await call('deleteTrigger', { key, params: { trigger_id } });
  declared.clear();
});
afterAll(async () => {
  await Promise.all([upstream.close(), ...proxies.map((proxy) => proxy.close())]);
});

const tick = async (now: number, some: { clock?: number; leftMs?: number } = {}) => {
  const { clock, leftMs = 50_000 } = some;
  await fireDue({ now, clock, remainingMs: () => leftMs, log: requestLog({}) });
};
const clocks = [...Array(clockCount).keys()];

/** A trigger whose flow counts its runs, and the time of its first. */
async function timed(some: object = {}) {
  const count = unique('count');
  const agent = await liveAgent({ flow: callingFlow(upstream, [`count/${count}`]) });
  const made = await newTrigger(agent, { kind: 'schedule', schedule: { rate: '1 minute' }, ...some });
  declared.set(made.trigger_id, agent.key);
  const stored = () => readTrigger(made);
  const nextDue = async () => Date.parse((await stored())?.next_due ?? '');
  const due = await nextDue();
  const shard = shardOf(made.orgid, made.trigger_id);
  const ran = async () => {
    await idle();
    return upstream.calls(count);
  };
  return { agent, made, due, stored, nextDue, shard, ran };
}

describe('a tick', () => {
  test('runs what is due once, and sets the next due time', async () => {
    const { due, stored, ran } = await timed();
    await tick(due);
    expect(await ran()).toBe(1);
    expect((await stored())?.next_due).toBe(new Date(due + minute).toISOString());
    await tick(due);
    expect(await ran()).toBe(1);
    await tick(due + minute);
    expect(await ran()).toBe(2);
  });

  test('runs nothing before its time', async () => {
    const { due, ran } = await timed();
    await tick(due - 1);
    expect(await ran()).toBe(0);
  });

  test('gives the flow the input of the trigger and the due time, and the run names trigger and key', async () => {
    const nodes = { done: { type: 'end', output: { input: '{{ input }}' } } };
    const agent = await liveAgent({ flow: flow({ nodes }) });
    const at = new Date(Date.now() + 5_000).toISOString();
    const { trigger_id } = await newTrigger(agent, {
      kind: 'schedule',
      schedule: { at },
      message: 'Report',
      user_variables: { team: 'a' },
    });
    const run = await firedRun(agent, trigger_id, Date.parse(at));
    expect(run.response.input).toEqual({
      message: 'Report',
      user_variables: { team: 'a' },
      event: { event: 'schedule', data: { trigger_id, scheduled_at: at } },
    });
    expect(await readRun(run.workflow_id)).toMatchObject({
      trigger: 'schedule',
      trigger_id,
      caller_id: agent.id,
      environment: 'live',
    });
    expect((await readTrigger({ orgid: agent.orgid, trigger_id }))?.next_due).toBeUndefined();
  });

  test('catches up on runs within the grace period, and skips the others', async () => {
    const { due, ran, stored } = await timed();
    await tick(due + 120 * minute);
    expect(await ran()).toBe(16);
    expect(Date.parse((await stored())?.next_due ?? '')).toBe(due + 121 * minute);
  });

  test('with run_once, runs once for all missed times, in addition to those within the grace period', async () => {
    const { due, ran, stored } = await timed({ schedule: { rate: '1 hour', missed: 'run_once' } });
    const now = due + 125 * minute;
    await tick(now);
    expect(await ran()).toBe(2);
    expect((await stored())?.next_due).toBe(new Date(due + 180 * minute).toISOString());
  });

  test('with run_once, runs only once if no time is within the grace period', async () => {
    const { due, ran } = await timed({ schedule: { rate: '1 hour', missed: 'run_once' } });
    await tick(due + 150 * minute);
    expect(await ran()).toBe(1);
  });

  test('does not run what was disabled or deleted before it was due', async () => {
    const [one, two] = [await timed(), await timed()];
    const { key, flowid } = one.agent;
    const params = { trigger_id: one.made.trigger_id };
    const body = { flowid, enabled: false, schedule: one.made.schedule };
    await call('updateTrigger', { key, params, body });
    await call('deleteTrigger', { key: two.agent.key, params: { trigger_id: two.made.trigger_id } });
    await tick(Math.max(one.due, two.due));
    expect([await one.ran(), await two.ran()]).toEqual([0, 0]);
  });

  test('leaves a schedule that has ended unchanged, and its trigger can still be disabled', async () => {
    const at = new Date(Date.now() + minute).toISOString();
    const { agent, made, due, stored, ran } = await timed({ schedule: { at } });
    await tick(due);
    await tick(due + minute);
    expect(await ran()).toBe(1);
    expect(await stored()).toMatchObject({ enabled: true, version: 1 });
    const params = { trigger_id: made.trigger_id };
    const body = { flowid: agent.flowid, enabled: false, schedule: { at: '2020-01-01T00:00:00Z' } };
    expect((await call('updateTrigger', { key: agent.key, params, body })).status).toBe(200);
  });

  test('does not change the next time of a schedule that is replaced by an equal one', async () => {
    const { agent, made, due, ran, stored } = await timed();
    const params = { trigger_id: made.trigger_id };
    const body = { flowid: agent.flowid, message: 'New', schedule: made.schedule };
    await call('updateTrigger', { key: agent.key, params, body });
    expect((await stored())?.next_due).toBe(new Date(due).toISOString());
    await tick(due);
    expect(await ran()).toBe(1);
  });

  test('moves a run whose flow has no build any more to the dead letters, with the reason', async () => {
    const { agent, made, due } = await timed();
    await call('deleteRegistryRow', { key: agent.key, params: { a2aregistryid: agent.a2aregistryid } });
    await tick(due);
    await idle();
    expect((await takeDeadLetter(made.trigger_id))?.reason).toMatch(/has no live build/);
  });

  test('runs more schedules than it processes concurrently', async () => {
    const all = await Promise.all(Array.from({ length: 12 }, () => timed()));
    await tick(Math.max(...all.map(({ due }) => due)));
    expect(await Promise.all(all.map(({ ran }) => ran()))).toEqual(all.map(() => 1));
  });

  test('leaves the rest to the next tick when its time is over', async () => {
    const { due, ran } = await timed();
    await tick(due, { leftMs: 1_000 });
    expect(await ran()).toBe(0);
    await tick(due);
    expect(await ran()).toBe(1);
  });

  test('of the Lambda function runs what is due by the system clock', async () => {
    const { due, ran } = await timed();
    vi.useFakeTimers({ toFake: ['Date'], now: due });
    try {
      await handler({}, lambdaContext());
    } finally {
      vi.useRealTimers();
    }
    expect(await ran()).toBe(1);
  });
});

describe('a key that was revoked', () => {
  test('stops the schedules that it last changed, and a change by another key starts them again', async () => {
    const { agent, made, due, ran } = await timed();
    const params = { trigger_id: made.trigger_id };
    const { body: robot } = await call('createApiKey', {
      key: agent.key,
      body: { label: 'Robot', scopes: ['assistants.flows:update', 'assistants.flows:run'], workspaces: '*' },
    });
    const body = { flowid: agent.flowid, schedule: made.schedule };
    await call('updateTrigger', { key: robot.token, params, body });
    await call('revokeApiKey', { key: agent.key, params: { keyid: robot.keyid } });
    await tick(due);
    expect(await ran()).toBe(0);
    const { body: stopped } = await call('getTrigger', { key: agent.key, params });
    expect(stopped).toMatchObject({ enabled: false, disabled_reason: expect.stringContaining(robot.keyid) });
    const { body: again } = await call('updateTrigger', { key: agent.key, params, body });
    expect(again).toMatchObject({ enabled: true, updated_by: agent.id });
    expect(again.disabled_reason).toBeUndefined();
  });
});

describe('a due time has exactly one run', () => {
  test('when several ticks come at once', async () => {
    const { due, ran } = await timed();
    await Promise.all([tick(due), tick(due), tick(due)]);
    expect(await ran()).toBe(1);
  });

  /** What a tick does for one schedule, in order; each call in turn is the last before it dies. */
  const calls = ['GetItem', 'GetItem', 'SendMessage', 'TransactWriteItems'];

  test.each(calls.map((operation, n) => [n + 1, operation] as const))(
    'when the function dies before or after its call %i, %s',
    async (nth) => {
      for (const last of ['reset', 'lose answer'] as const) {
        const { due, ran, stored } = await timed();
        let seen = 0;
        judge = (_service, operation) => {
          if (operation === 'Query') return 'pass';
          seen += 1;
          return seen < nth ? 'pass' : seen === nth ? last : 'reset';
        };
        await expect(tick(due)).rejects.toThrow();
        judge = () => 'pass';
        await tick(due);
        expect(await ran(), last).toBe(1);
        expect((await stored())?.next_due).toBe(new Date(due + minute).toISOString());
      }
    },
  );

  test('a schedule that cannot be run does not stop the others', async () => {
    const [one, two] = [await timed(), await timed()];
    judge = (service, _operation, body) =>
      service === 'SQS' && body.includes(one.made.trigger_id) ? 'reset' : 'pass';
    await expect(tick(Math.max(one.due, two.due))).rejects.toThrow('1 schedules were not run');
    expect([await one.ran(), await two.ran()]).toEqual([0, 1]);
    judge = () => 'pass';
    await tick(Math.max(one.due, two.due));
    expect([await one.ran(), await two.ran()]).toEqual([1, 1]);
  });
});

/** Triggers until there is one in a shard of each clock, or in another shard than the first. */
async function timedUntil(enough: (shards: ReadonlySet<string>) => boolean) {
  const all = [await timed()];
  while (!enough(new Set(all.map(({ shard }) => shard)))) all.push(await timed());
  return all;
}

describe('the clocks', () => {
  test('have all shards between them, and no shard has two', () => {
    const shares = clocks.flatMap((clock) => shardsOf(clock));
    expect(new Set(shares).size).toBe(shares.length);
    expect(shares.toSorted()).toEqual(shardsOf().toSorted());
  });

  test('run each schedule once between them, and none that is of another clock', async () => {
    const all = await timedUntil((shards) =>
      clocks.every((clock) => shardsOf(clock).some((one) => shards.has(one))),
    );
    const now = Math.max(...all.map(({ due }) => due));
    for (const clock of clocks) {
      await tick(now, { clock });
      for (const { due, nextDue, shard } of all)
        if (clocks.slice(0, clock + 1).some((one) => shardsOf(one).includes(shard)))
          expect(await nextDue()).toBe(due + minute);
        else expect(await nextDue()).toBe(due);
    }
  });

  test('are refused by the function when they have no number', async () => {
    await expect(handler({ clock: 'first' }, lambdaContext())).rejects.toThrow('expected number');
  });
});

test('a shard that cannot be read does not stop the others', async () => {
  const all = await timedUntil(({ size }) => size > 1);
  const [first] = all;
  let unreadable = first?.shard;
  judge = (_service, operation, body) =>
    unreadable !== undefined && operation === 'Query' && body.includes(`"${unreadable}"`) ? 'reset' : 'pass';
  const now = Math.max(...all.map(({ due }) => due));
  await expect(tick(now)).rejects.toThrow('1 schedules were not run.');
  for (const { due, nextDue, shard } of all)
    expect(await nextDue()).toBe(shard === unreadable ? due : due + minute);
  unreadable = undefined;
  await tick(now);
  expect(await first?.nextDue()).toBe((first?.due ?? 0) + minute);
});

test('a schedule from before there were shards runs, and is in its shard from then on', async () => {
  const { made, due, nextDue, shard } = await timed();
  const key = { pk: `TRIGGER#${made.orgid}#${made.trigger_id}`, sk: 'META' };
  await updateItem(controlTable, key, {
    UpdateExpression: 'SET gsi2pk = :before',
    ExpressionAttributeValues: { ':before': 'DUE' },
  });
  for (const clock of clocks.slice(1)) await tick(due, { clock });
  expect(await nextDue()).toBe(due);
  await tick(due, { clock: 0 });
  expect(await nextDue()).toBe(due + minute);
  const owner = clocks.find((clock) => shardsOf(clock).includes(shard));
  await tick(due + minute, { clock: owner ?? 0 });
  expect(await nextDue()).toBe(due + 2 * minute);
});

describe('runs that were skipped', () => {
  const lastSkipped = async (key: string, trigger_id: string) =>
    (await call('nextRuns', { key, params: { trigger_id } })).body.last_skipped;

  test('are shown with the next ones, and neither change the version nor vanish with a run', async () => {
    const { agent, made, due } = await timed({ schedule: { rate: '1 hour' } });
    const now = due + 16 * minute;
    await tick(now);
    const [from, until] = [due, now - 15 * minute].map((ms) => new Date(ms).toISOString());
    const skipped = { from, until, reason: 'missed' };
    expect(await lastSkipped(agent.key, made.trigger_id)).toEqual(skipped);
    await tick(due + 60 * minute);
    expect(await lastSkipped(agent.key, made.trigger_id)).toEqual(skipped);
    const { body } = await call('getTrigger', { key: agent.key, params: { trigger_id: made.trigger_id } });
    expect(body).toEqual(made);
  });

  test('of the only time of a schedule are shown too, and to nobody else', async () => {
    const at = new Date(Date.now() + minute).toISOString();
    const { agent, made, due } = await timed({ schedule: { at } });
    await tick(due + 20 * minute);
    expect(await lastSkipped(agent.key, made.trigger_id)).toMatchObject({ from: at });
    const params = { trigger_id: made.trigger_id };
    expect((await call('nextRuns', { key: (await newCaller()).key, params })).status).toBe(404);
  });

  test('are none where one run makes up for them, or where the schedule is another now', async () => {
    const { agent, made, due } = await timed({ schedule: { rate: '1 hour', missed: 'run_once' } });
    await tick(due + 16 * minute);
    expect(await lastSkipped(agent.key, made.trigger_id)).toBeUndefined();
    const other = await timed({ schedule: { rate: '1 hour' } });
    await tick(other.due + 16 * minute);
    const body = { flowid: other.agent.flowid, schedule: { rate: '2 days' } };
    await call('updateTrigger', {
      key: other.agent.key,
      params: { trigger_id: other.made.trigger_id },
      body,
    });
    expect(await lastSkipped(other.agent.key, other.made.trigger_id)).toBeUndefined();
  });

  test('because a budget is exhausted say so, until it is not any more', async () => {
    const { agent, made, due, ran } = await timed();
    await call('setBudget', { key: agent.key, body: { monthly_limit: 0 } });
    await tick(due);
    const { from, ...skipped } = (await lastSkipped(agent.key, made.trigger_id)) ?? {};
    expect([skipped, await ran()]).toEqual([{ until: from, reason: 'budget_exhausted' }, 0]);
    await call('deleteBudget', { key: agent.key });
    await tick(due + minute);
    expect(await ran()).toBe(1);
  });
});

/** Lets the time come and finds the run that it started. */
async function firedRun(agent: TestAgent, trigger_id: string, due: number) {
  const trigger = await readTrigger({ orgid: agent.orgid, trigger_id });
  await tick(due);
  await idle();
  const next_due = new Date(due).toISOString();
  const workflow_id = deriveScheduledRunId({
    orgid: agent.orgid,
    trigger_id,
    created_at: trigger?.created_at ?? '',
    next_due,
  });
  const params = { workspace_id: agent.workspaceid, workflow_id };
  return (await call('getRun', { key: agent.key, params })).body;
}
