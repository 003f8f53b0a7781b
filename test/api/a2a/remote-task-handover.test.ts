// Runs that call an agent elsewhere, and whose host ends while that agent works: the next host with the same data waits
// for the same task. The agent is the official SDK's server.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TaskState } from '@a2a-js/sdk';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { startDynamoDb } from '#lib/local/dynamodb.ts';
import { resolveHome } from '#lib/local/home.ts';
import { asTask, officialClient, sending } from '#test/support/a2a.ts';
import { flow } from '#test/support/builders.ts';
import { type LocalStart, putLive, startLocal } from '#test/support/local-start.ts';
import { finish, listRequests, tasksOf } from '#test/support/remote-tasks.ts';
import { expireLease } from '#test/support/runs.ts';
import { type ServerProcess, startServer } from '#test/support/server-process.ts';

let server: ServerProcess;
beforeAll(async () => {
  server = await startServer('notifying');
});
afterAll(() => server.stop());

const patience = { timeout: 60_000, interval: 100 };
const environment = z.object({ RUNS_TABLE: z.string() });

/** As if the clock had passed the lease that the killed host held, so that the next one need not wait for its end. */
async function passLease(folder: string, runId: string): Promise<void> {
  const home = resolveHome(folder);
  const { RUNS_TABLE } = environment.parse(JSON.parse(await readFile(home.environment, 'utf8')));
  const engine = await startDynamoDb(join(home.data, 'dynamodb'));
  const client = new DynamoDBClient({ endpoint: engine.endpoint });
  await expireLease(runId, DynamoDBDocumentClient.from(client), RUNS_TABLE);
  client.destroy();
  await engine.close();
}

const countRequests = async (method: string, id: string) =>
  (await listRequests(server)).filter((each) => each.method === method && each.params.id === id).length;

const callingFlow = () => {
  const ask = { type: 'a2a', agent: `${server.url}/agent`, message: 'Work', next: 'done' };
  const done = { type: 'end', output: { text: '{{ nodes.ask.text }}' } };
  return flow({ start: 'ask', egress: [server.host], nodes: { ask, done } });
};

const clientOf = ({ ready }: LocalStart, registryId: string) =>
  officialClient(`${ready.baseUrl}/api/v1/ai/a2a/agents/${registryId}/`, ready.apiKey);

test.each([
  ['is stopped in order', 'SIGTERM'],
  ['is killed', 'SIGKILL'],
] as const)('the next host waits for the same task of another agent if the host %s', async (_, signal) => {
  const home = await mkdtemp(join(tmpdir(), 'agent-flow-handover-'));
  const env = { EGRESS_ALLOW_PRIVATE: server.host };
  const listTasks = tasksOf(server);
  const earlier = await listTasks();
  const before = await startLocal(home, env);
  const registryId = await putLive(before, { flow: callingFlow() });
  const client = await clientOf(before, registryId);
  const sent = client.sendMessage(sending('Hello', { configuration: { returnImmediately: true } }));
  const [remote = ''] = await vi.waitUntil(async () => {
    const tasks = (await listTasks()).filter((id) => !earlier.includes(id));
    return tasks.length > 0 && tasks;
  }, patience);
  // The run reads the task after it has stored its id.
  await vi.waitUntil(async () => (await countRequests('GetTask', remote)) > 0, patience);
  const [{ id }] = await Promise.all([sent.then(asTask), before.stop(signal)]);
  if (signal === 'SIGKILL') await passLease(home, id);

  const reads = await countRequests('GetTask', remote);
  const after = await startLocal(home, env);
  await vi.waitUntil(async () => (await countRequests('GetTask', remote)) > reads, patience);
  await finish(server, remote);
  const again = await clientOf(after, registryId);
  const task = await vi.waitUntil(async () => {
    const read = await again.getTask({ id, tenant: '', historyLength: undefined });
    return read.status?.state === TaskState.TASK_STATE_WORKING ? false : read;
  }, patience);
  expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  expect(JSON.stringify(task.artifacts)).toContain('It is COMPLETED.');
  expect((await listTasks()).filter((each) => !earlier.includes(each))).toEqual([remote]);
  expect(await countRequests('CancelTask', remote)).toBe(0);
  await after.stop();
  await rm(home, { recursive: true });
});
