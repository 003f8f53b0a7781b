// A whole host that is killed with `kill -9` while a key uses all its permits for runs that callers wait for: after
// the next start the permits are free once the leases of the runs have expired, long before the runs would have ended.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { callingFlow, liveAgent, type TestAgent } from '#test/support/flows.ts';
import { type ForkedHost, forkHost } from '#test/support/forked-host.ts';
import { expireLease, passPermitTimes, setLeaseEnd } from '#test/support/runs.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

const keyMax = 3;
let folder: string;
let host: ForkedHost;
let upstream: Upstream;

/** Tests then call this host. */
async function start(): Promise<void> {
  host = await forkHost({ dataDir: folder, limits: { key_waiting_runs: keyMax } });
  Object.assign(process.env, host.service.environment, { OWN_SERVICE_URL: host.service.baseUrl });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-flow-permits-'));
  upstream = await startUpstream();
  await start();
});
afterAll(async () => {
  delete process.env.OWN_SERVICE_URL;
  await Promise.all([host.stop(), upstream.close()]);
  await rm(folder, { recursive: true });
});

const trigger = ({ key, workspaceid }: TestAgent, flowid: string) =>
  call('triggerFlow', {
    key,
    params: { workspace_id: workspaceid, trigger_id: flowid, environment: 'live' },
    body: { message: '' },
  });

/** A run that calls the upstream, and is answered when the test says so. */
async function startGated(agent: TestAgent) {
  const gate = unique('gate');
  const { flowid } = await liveAgent({ flow: callingFlow(upstream, [`gate/${gate}`]) }, agent);
  const answered = trigger(agent, flowid).catch(() => undefined);
  await upstream.arrived(gate);
  return { gate, answered };
}

async function listRuns({ key, workspaceid }: TestAgent) {
  const { items } = (await call('listRuns', { key, query: { workspaceid } })).body;
  return items.map(({ workflow_id, status }) => ({ id: workflow_id, status }));
}

test('after kill -9 a key whose permits were all in use gets them back with the leases of its runs', async () => {
  const agent = await liveAgent();
  for (let n = 0; n < keyMax; n += 1) await startGated(agent);
  expect((await trigger(agent, agent.flowid)).status).toBe(429);
  const ids = (await listRuns(agent)).map(({ id }) => id);
  expect(ids).toHaveLength(keyMax);
  await host.kill();
  await start();

  const table = DynamoDBDocumentClient.from(new DynamoDBClient());
  await passPermitTimes(agent.orgid, table);
  // A process that lives renews the lease, and keeps its permit however long it takes.
  for (const id of ids) await setLeaseEnd(id, Date.now() + 3_600_000, table);
  expect((await trigger(agent, agent.flowid)).status).toBe(429);

  for (const id of ids) await expireLease(id, table);
  expect(await trigger(agent, agent.flowid)).toMatchObject({ status: 200, body: { status: 'completed' } });
  const failed = (await listRuns(agent)).filter(({ status }) => status === 'failed');
  expect(failed.map(({ id }) => id).sort()).toEqual(ids.sort());

  const again = await Promise.all(ids.map(() => startGated(agent)));
  expect((await trigger(agent, agent.flowid)).status).toBe(429);
  for (const { gate } of again) upstream.open(gate);
  for (const { answered } of again) expect((await answered)?.body).toMatchObject({ status: 'completed' });
});
