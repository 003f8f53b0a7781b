// Tokens of a user that are refreshed by many at once, against a server that revokes everything when a
// refresh token comes twice. A process is stood for by a memory of its own; all share the table, and a clock
// that jumps.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createConnectionFetches } from '#lib/connection/connection-fetch.ts';
import { createConnectionFinder } from '#lib/connection/find.ts';
import { newTokenMemory } from '#lib/connection/token-memory.ts';
import { createGuardedFetch } from '#lib/egress/guarded-fetch.ts';
import type { ConnectionDeclaration } from '#lib/flow/format/connection.ts';
import { flow } from '#test/support/builders.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { bearer, listConnections, putConnection } from '#test/support/connections.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { type RotatingIssuer, startRotatingIssuer } from '#test/support/rotating-issuer.ts';
import { runState, startedRun } from '#test/support/run-calls.ts';
import { type SharedClock, sharedClock } from '#test/support/shared-clock.ts';

let issuer: RotatingIssuer;
beforeEach(async () => {
  issuer = await startRotatingIssuer();
});
afterEach(() => issuer.close());

const crm = (): ConnectionDeclaration => ({ type: 'oauth_user', hosts: [issuer.host] });
const toOwner = ({ orgid, workspaceid, id }: TestCaller) => ({ orgid, workspaceid, user: id });
const several = (count: number) => Array.from({ length: count }, (_, n) => n);

async function newOwner(): Promise<TestCaller> {
  const caller = await newCaller();
  expect((await putConnection(caller, 'crm', issuer.connection())).status).toBe(200);
  return caller;
}

/**
 * A process that has nothing to do with the others but the table. Answers the status of its request to the
 * API.
 */
function newProcess(caller: TestCaller, clock: SharedClock) {
  const connect = createConnectionFetches({
    fetch: createGuardedFetch({ allowPrivate: [issuer.host] }),
    declared: { crm: crm() },
    find: createConnectionFinder(toOwner(caller)),
    memory: newTokenMemory(clock),
  });
  return async () => (await (await connect('crm')).fetch(issuer.url)).status;
}

/** Takes the lease as its last deed. */
async function dyingHolder(caller: TestCaller, { now }: SharedClock): Promise<void> {
  const connection = await createConnectionFinder(toOwner(caller))('crm', crm());
  await connection?.claimRefresh(now());
}

const callingAgent = async (caller: TestCaller): Promise<TestAgent> => {
  const node = { type: 'http', url: issuer.url, connection: 'crm', next: 'done' };
  const nodes = { call: node, done: { type: 'end', output: { fine: '{{ nodes.call.body.fine }}' } } };
  const connections = { crm: { type: 'oauth_user', hosts: [issuer.host] } };
  return await liveAgent(
    { flow: flow({ start: 'call', egress: [issuer.host], connections, nodes }) },
    caller,
  );
};

async function triggered({ key, workspaceid, flowid }: TestAgent) {
  const params = { workspace_id: workspaceid, trigger_id: flowid, environment: 'live' };
  return JSON.parse((await call('triggerFlow', { key, params, body: { message: 'Hello' } })).text);
}

describe('a refresh token is used once', () => {
  test('by many runs at the same time, in requests and in the worker', async () => {
    const agent = await callingAgent(await newOwner());
    const queued = await Promise.all(several(5).map(() => startedRun(agent)));
    const results = await Promise.all(several(5).map(() => triggered(agent)));
    await idle();
    const states = await Promise.all(queued.map((id) => runState(agent, id)));
    for (const { response, error } of [...results, ...states])
      expect({ response, error }).toEqual({ response: { fine: true }, error: null });
    expect(issuer.spent).toEqual(['refresh-0']);
  });

  test('by many processes at the same time, again and again', async () => {
    const clock = sharedClock();
    const caller = await newOwner();
    const processes = several(8).map(() => newProcess(caller, clock));
    for (const round of several(3)) {
      const statuses = await Promise.all(processes.map((each) => clock.process(each)));
      expect(statuses).toEqual(Array(8).fill(200));
      expect(issuer.spent).toHaveLength(round + 1);
      clock.pass(3_600_000);
    }
    expect(new Set(issuer.spent).size).toBe(3);
  });

  test('by many processes whose token a host refuses', async () => {
    const clock = sharedClock();
    const caller = await newOwner();
    const processes = several(6).map(() => newProcess(caller, clock));
    await Promise.all(processes.map((each) => clock.process(each)));
    issuer.rejectNewest();
    const statuses = await Promise.all(processes.map((each) => clock.process(each)));
    expect(statuses).toEqual(Array(6).fill(200));
    expect(issuer.spent).toEqual(['refresh-0', 'refresh-1']);
  });

  test('even if the process that held the lease has died: the next one uses it when the lease has expired', async () => {
    const clock = sharedClock();
    const caller = await newOwner();
    const began = clock.now();
    await dyingHolder(caller, clock);
    expect(await clock.process(newProcess(caller, clock))).toBe(200);
    expect(clock.now() - began).toBeGreaterThanOrEqual(30_000);
    expect(clock.now() - began).toBeLessThan(40_000);
    expect(issuer.spent).toEqual(['refresh-0']);
  });

  test('in any order of processes, even if some die while they hold the lease', async () => {
    const fate = fc.record({
      comesAfterMs: fc.oneof(fc.constant(0), fc.nat({ max: 60_000 })),
      dies: fc.boolean(),
    });
    const fates = fc.array(fate, { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fates, async (drawn) => {
        const from = issuer.spent.length;
        const clock = sharedClock();
        const caller = await newOwner();
        const live = async ({ comesAfterMs, dies }: (typeof drawn)[number]) => {
          await clock.sleep(comesAfterMs);
          if (dies) return await dyingHolder(caller, clock);
          const ended = await newProcess(caller, clock)().catch((error) => error.code);
          // Behind two that died in a row it may have waited in vain.
          expect([200, 'connection.unavailable']).toContain(ended);
        };
        await Promise.all(drawn.map((each) => clock.process(() => live(each))));
        clock.pass(60_000);
        expect(await clock.process(newProcess(caller, clock))).toBe(200);
        expect(issuer.spent).toHaveLength(from + 1);
      }),
      { numRuns: 8 },
    );
  });
});

describe('when the token endpoint', () => {
  test('is unreachable, the node fails with connection.unavailable, and the next request need not wait', async () => {
    const clock = sharedClock();
    const caller = await newOwner();
    issuer.be('away');
    const began = clock.now();
    const failure = clock.process(newProcess(caller, clock));
    await expect(failure).rejects.toMatchObject({ name: 'NodeError', code: 'connection.unavailable' });
    issuer.be('giving');
    expect(await clock.process(newProcess(caller, clock))).toBe(200);
    expect(clock.now()).toBe(began);
  });

  test('no longer accepts the refresh token, the run fails, later runs wait for the owner, and no request is sent again', async () => {
    const caller = await newOwner();
    const agent = await callingAgent(caller);
    issuer.be('refusing');
    expect((await triggered(agent)).error).toBe(
      'call: The token endpoint of the connection "crm" gives no token: invalid_grant. (connection.expired)',
    );
    expect(await listConnections(caller)).toMatchObject([{ name: 'crm', refused_at: expect.any(String) }]);
    expect((await triggered(agent)).error).toContain('connections that are not stored: crm');
    const id = await startedRun(agent);
    await idle();
    expect(await runState(agent, id)).toMatchObject({
      status: 'auth_required',
      needs: { connections: [{ connection: 'crm' }] },
    });
    expect(issuer.spent).toHaveLength(1);

    issuer.be('giving');
    await putConnection(caller, 'crm', issuer.connection());
    expect(await listConnections(caller)).not.toMatchObject([{ refused_at: expect.any(String) }]);
    await idle();
    expect(await runState(agent, id)).toMatchObject({ status: 'completed', response: { fine: true } });
  });

  test('has refused the refresh token before, a run that has already read it does not ask again', async () => {
    const clock = sharedClock();
    const caller = await newOwner();
    const [one, other] = [newProcess(caller, clock), newProcess(caller, clock)];
    issuer.be('refusing');
    for (const each of [one, other, one])
      await expect(clock.process(each)).rejects.toMatchObject({ code: 'connection.expired' });
    expect(issuer.spent).toHaveLength(1);
  });
});

test('tokens that arrive after another value was stored do not overwrite it', async () => {
  const caller = await newOwner();
  const find = async () => await createConnectionFinder(toOwner(caller))('crm', crm());
  const before = await find();
  const lease = await before?.claimRefresh(Date.now());
  if (before?.value.type !== 'oauth_user' || !lease)
    throw new Error('There is a connection, and its lease is free.');
  await putConnection(caller, 'crm', issuer.connection({ label: 'Another' }));
  const after = await find();
  await lease.keep({ ...before.value.credential, expires_at: '2030-01-01T00:00:00.000Z' });
  expect(await lease.refuse(Date.now())).toBe(false);
  expect(await find()).toMatchObject({ id: after?.id, isRefused: false });
});

describe('a run that resumes with an expired token, when meanwhile its owner', () => {
  /** The first round opens the connection, the second needs another token. */
  async function interrupted(meanwhile: (caller: TestCaller) => Promise<unknown>) {
    const clock = sharedClock();
    const caller = await newOwner();
    const run = newProcess(caller, clock);
    await clock.process(run);
    await meanwhile(caller);
    clock.pass(3_600_000);
    return await clock.process(run).catch((error) => error.code);
  }

  test('has stored another value for its host, uses that value', async () => {
    const outcome = await interrupted((caller) => putConnection(caller, 'crm', issuer.connection()));
    expect(outcome).toBe(200);
    expect(issuer.isRevoked()).toBe(false);
  });

  test.each([
    [
      'has stored a value for other hosts',
      (caller: TestCaller) => putConnection(caller, 'crm', issuer.connection({ hosts: ['api.crm.example'] })),
    ],
    ['has stored a value of another type', (caller: TestCaller) => putConnection(caller, 'crm', bearer())],
    [
      'has deleted it',
      async ({ key, workspaceid }: TestCaller) =>
        await call('deleteConnection', { key, params: { name: 'crm' }, query: { workspaceid } }),
    ],
  ])('%s, gets none', async (_what, meanwhile) => {
    expect(await interrupted(meanwhile)).toBe('connection.missing');
    expect(issuer.spent).toEqual(['refresh-0']);
  });
});
