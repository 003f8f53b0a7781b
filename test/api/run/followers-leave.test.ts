// Clients that follow runs and leave: what they held is free at once, nothing is read for them any more, and
// whoever waits for a run of their own never notices them. With a host of its own, whose limits are low
// enough to meet them.
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '#lib/routes/routes.ts';
import { agentUrls, newMessage, readTaskId, rpc } from '#test/support/a2a.ts';
import { flow } from '#test/support/builders.ts';
import { newCaller } from '#test/support/caller.ts';
import { buildUrl, call } from '#test/support/client.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { type ForkedHost, forkHost } from '#test/support/forked-host.ts';
import { startedRun } from '#test/support/run-calls.ts';
import { eventually } from '#test/support/runs.ts';

const ofKey = 8;
const ofOrganisation = 20;
const all = 3 * ofKey;
const limits = {
  key_requests: 1_000_000,
  org_requests: 1_000_000,
  key_waiting_runs: ofKey,
  org_waiting_runs: ofOrganisation,
  key_followed_runs: ofKey,
  org_followed_runs: ofOrganisation,
};

let host: ForkedHost | undefined;
const controlUrl = () => host?.service.controlUrl ?? '';
beforeAll(async () => {
  host = await forkHost({ limits, countsDynamodb: true });
  Object.assign(process.env, host.service.environment, { OWN_SERVICE_URL: host.service.baseUrl });
});
afterAll(async () => {
  delete process.env.OWN_SERVICE_URL;
  await host?.stop();
});

/** Rests for longer than any test takes. */
const restingFlow = flow({ start: 'rest', nodes: { rest: { type: 'wait', seconds: 3_600 } } });

interface Resting {
  readonly owner: TestAgent;
  /** Ends at once. */
  readonly quick: TestAgent;
  readonly id: string;
}

async function resting(): Promise<Resting> {
  const owner = await liveAgent({ flow: restingFlow });
  return { owner, quick: await liveAgent({}, owner), id: await startedRun(owner) };
}

const readers = async ({ orgid, workspaceid }: TestAgent, count: number) =>
  await Promise.all(
    Array.from({ length: count }, () =>
      newCaller({ orgid, workspaces: [workspaceid], scopes: ['assistants.flows:read'] }),
    ),
  );

interface Opened {
  readonly statuses: readonly number[];
  /** Kept, as fetch cancels the body of a response that is garbage collected. */
  readonly responses: readonly Response[];
  readonly leave: () => void;
}

const opened: Pick<Opened, 'responses' | 'leave'>[] = [];
afterEach(() => {
  for (const { leave } of opened.splice(0)) leave();
});

/** As many at a time as a busy machine answers before the service's own time is up. */
const atOnce = 10;

/** Streams that are all open together, each from when its status is there. */
async function openAll(requests: readonly ((signal: AbortSignal) => Promise<Response>)[]): Promise<Opened> {
  const leaving = new AbortController();
  const responses: Response[] = [];
  const leave = () => leaving.abort();
  opened.push({ responses, leave });
  for (let n = 0; n < requests.length; n += atOnce) {
    const some = requests.slice(n, n + atOnce).map((request) => request(leaving.signal));
    responses.push(...(await Promise.all(some)));
  }
  return { statuses: responses.map(({ status }) => status), responses, leave };
}

const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);
const follow = (key: string, workflow_id: string) => (signal: AbortSignal) =>
  fetch(buildUrl(routes.followRun, { params: { workflow_id } }), { headers: { 'x-api-key': key }, signal });

const trigger = async ({ key, workspaceid, flowid }: TestAgent) => {
  const params = { workspace_id: workspaceid, trigger_id: flowid, environment: 'live' };
  return (await call('triggerFlow', { key, params, body: { message: 'hi' } })).body.status;
};

const callsSoFar = async () => Number(await (await fetch(`${controlUrl()}/calls`)).text());

/**
 * Followers read once a second at the least; nothing else is at work here but the schedules, twice a minute.
 */
const quiet = async () =>
  await eventually(
    async () => {
      const before = await callsSoFar();
      await setTimeout(1_200);
      return (await callsSoFar()) - before;
    },
    (calls) => calls <= 2,
  );

/** How many were let in and how many were not; nothing else is an answer here. */
function counted(statuses: readonly number[]): [number, number] {
  const others = statuses.filter((status) => status !== 200 && status !== 429);
  expect(others).toEqual([]);
  const letIn = statuses.filter((status) => status === 200).length;
  return [letIn, statuses.length - letIn];
}

/** Opens all until as many are let in as the limit allows: slots are given back one after the other. */
async function openedAgain(requests: Parameters<typeof openAll>[0], expected: readonly number[]) {
  return await eventually(
    async () => {
      const streams = await openAll(requests);
      if (counted(streams.statuses).join() !== expected.join()) streams.leave();
      return streams;
    },
    ({ statuses }) => counted(statuses).join() === expected.join(),
  );
}

test('streams of events of three read-only keys take only permits of followers, and return them', async () => {
  const { owner, quick, id } = await resting();
  const keys = await readers(owner, 3);
  const requests = keys.flatMap(({ key }) => times(ofKey, follow(key, id)));
  const streams = await openAll(requests);
  expect(counted(streams.statuses)).toEqual([ofOrganisation, all - ofOrganisation]);
  expect(await Promise.all(times(5, quick).map(trigger))).toEqual(times(5, 'completed'));
  streams.leave();
  expect(await Promise.all(times(5, quick).map(trigger))).toEqual(times(5, 'completed'));
  const again = await openedAgain(requests, [ofOrganisation, all - ofOrganisation]);
  again.leave();
  await quiet();
});

test('a follower beyond a limit is refused with the name of the limit and an alternative', async () => {
  const { owner, id } = await resting();
  const [reader] = await readers(owner, 1);
  const key = reader?.key ?? '';
  await openAll(times(ofKey, follow(key, id)));
  const { problem } = await call('followRun', { key, params: { workflow_id: id } });
  expect(problem).toMatchObject({ status: 429, code: 'too_many_runs' });
  expect(problem.detail).toBe(
    'This API key may follow 8 runs at the same time; try again when one is over, or ask for the status without waiting.',
  );
});

test('SubscribeToTask', async () => {
  const { owner, quick } = await resting();
  const sent = await rpc(agentUrls(owner).live, owner.key, 'SendMessage', {
    message: newMessage('x'),
    configuration: { returnImmediately: true },
  });
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'SubscribeToTask',
    params: { id: readTaskId(sent.result) },
  });
  const subscribe = (signal: AbortSignal) =>
    fetch(agentUrls(owner).live, {
      method: 'POST',
      headers: { 'x-api-key': owner.key, 'content-type': 'application/json', 'a2a-version': '1.0' },
      body,
      signal,
    });
  const streams = await openAll(times(ofKey + 2, subscribe));
  expect(counted(streams.statuses)).toEqual([ofKey, 2]);
  expect(await trigger(quick)).toBe('completed');
  streams.leave();
  expect(await Promise.all(times(5, quick).map(trigger))).toEqual(times(5, 'completed'));
  const again = await openedAgain(times(ofKey + 2, subscribe), [ofKey, 2]);
  again.leave();
  await quiet();
});

describe('clients that disconnect before they have an answer', () => {
  const path = (id: string, { workspaceid: workspace_id }: TestAgent) =>
    new URL(buildUrl(routes.getRun, { params: { workspace_id, workflow_id: id }, query: { wait: '20' } }));

  /** Sends a request and resets the connection once it is under way. */
  async function sendAndReset(url: URL, key: string): Promise<void> {
    const before = await callsSoFar();
    const socket = connect(Number(url.port), url.hostname);
    socket.on('error', () => undefined);
    socket.write(
      `GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\nX-API-Key: ${key}\r\n\r\n`,
    );
    await eventually(callsSoFar, (calls) => calls > before + 1);
    socket.resetAndDestroy();
  }

  test('and wait for a change of a status', async () => {
    const { owner, quick, id } = await resting();
    const url = path(id, owner);
    for (let n = 0; n < ofKey + 5; n += 1) await sendAndReset(url, owner.key);
    expect(await trigger(quick)).toBe('completed');
    await quiet();
    expect((await openAll([follow(owner.key, id)])).statuses).toEqual([200]);
  });

  test('and trigger runs, as soon as their run has started', async () => {
    const { quick } = await resting();
    const params = { workspace_id: quick.workspaceid, trigger_id: quick.flowid, environment: 'live' };
    const url = buildUrl(routes.triggerFlow, { params });
    for (let n = 0; n < ofKey + 5; n += 1) {
      const before = await callsSoFar();
      const leaving = new AbortController();
      const answer = fetch(url, {
        method: 'POST',
        body: '{"message":"hi"}',
        headers: { 'content-type': 'application/json', 'x-api-key': quick.key },
        signal: leaving.signal,
      }).catch(() => undefined);
      // A run makes three.
      await eventually(callsSoFar, (calls) => calls > before + (n % 3));
      leaving.abort();
      await answer;
    }
    await quiet();
    expect(await Promise.all(times(ofKey, quick).map(trigger))).toEqual(times(ofKey, 'completed'));
  });
});
