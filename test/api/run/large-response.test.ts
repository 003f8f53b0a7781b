// A response that is larger than an item of the table is stored in chunks and returned whole by every operation
// that reads a run.
import { randomBytes } from 'node:crypto';
import type { Part } from '@a2a-js/sdk';
import { beforeAll, describe, expect, test } from 'vitest';
import { deleteChunks } from '#lib/dynamo/chunks.ts';
import { runsTable } from '#lib/dynamo/client.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { newRunId } from '#lib/ids.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { routes } from '#lib/routes/routes.ts';
import { createRecorder } from '#lib/run/recorder.ts';
import { insertRun, readEventItems, readEvents, readRun } from '#lib/run/run-items.ts';
import { claimRun } from '#lib/run/run-lease.ts';
import { agentUrls, asTask, officialClient, sending } from '#test/support/a2a.ts';
import { flow } from '#test/support/builders.ts';
import { newCallbackSecret, settled } from '#test/support/callbacks.ts';
import { newCaller } from '#test/support/caller.ts';
import { buildUrl, call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { isSigned, startReceiver } from '#test/support/receiver.ts';
import { runState, startedRun } from '#test/support/run-calls.ts';
import { runWrites } from '#test/support/runs.ts';
import { run } from '#test/support/stored-run.ts';

/**
 * 185 KB each: what no codec makes smaller, what doubles whenever JSON is put into JSON, and what must not be
 * cut in two.
 */
const noises = Array.from({ length: 7 }, () => randomBytes(139_000).toString('base64'));
const quotes = '"'.repeat(92_500);
const faces = `x${'😀'.repeat(46_000)}`;
const values: JsonObject = {
  ...Object.fromEntries(noises.map((noise, n) => [`noise_${n}`, noise])),
  quotes,
  faces,
};
const names = [...Object.keys(values), ...Array(12).fill('quotes')];
const response = Object.fromEntries(names.map((name, n) => [`k${n}`, values[name] ?? null]));
const whole = JSON.stringify(response);

const largeFlow = () => {
  const steps = Object.entries(values);
  const nodes = steps.map(([name, output], n) => [
    name,
    { type: 'transform', output, next: steps[n + 1]?.[0] ?? 'done' },
  ]);
  const output = Object.fromEntries(names.map((name, n) => [`k${n}`, `{{ nodes.${name} }}`]));
  return flow({ start: 'noise_0', nodes: { ...Object.fromEntries(nodes), done: { type: 'end', output } } });
};

/** Compared as text: the difference would be megabytes. */
const isWhole = (given: unknown) => JSON.stringify(given) === whole;
const readData = (parts: readonly Part[] = []) => parts[0]?.content?.value;

async function triggered({ key, workspaceid, flowid }: TestAgent) {
  const params = { workspace_id: workspaceid, trigger_id: flowid, environment: 'live' };
  return (await call('triggerFlow', { key, params, body: { message: 'Hello' } })).body;
}

describe('a response of almost 4 MB', () => {
  let agent: TestAgent;
  beforeAll(async () => {
    expect(Buffer.byteLength(whole)).toBeGreaterThan(3_800_000);
    expect(Buffer.byteLength(whole)).toBeLessThan(limits.responseBytes);
    agent = await liveAgent({ flow: largeFlow() });
  });

  test('is returned by the trigger, and with the run afterwards', async () => {
    const result = await triggered(agent);
    expect(result).toMatchObject({ status: 'completed', error: null });
    expect(isWhole(result.response)).toBe(true);
    expect(isWhole((await runState(agent, result.workflow_id)).response)).toBe(true);
    const params = { workflow_id: result.workflow_id };
    const { body } = await call('getRunDetail', { key: agent.key, params });
    expect(isWhole(body.response)).toBe(true);
    const { body: list } = await call('listRuns', {
      key: agent.key,
      query: { workspaceid: agent.workspaceid },
    });
    expect(JSON.stringify(list).length).toBeLessThan(2_000);
  });

  test('is in the events of a background run', async () => {
    const id = await startedRun(agent);
    await idle();
    const url = buildUrl(routes.followRun, { params: { workflow_id: id }, query: {} });
    const events = await (await fetch(url, { headers: { 'x-api-key': agent.key } })).text();
    const last = /\ndata: (\{"generation":\d+,"at":"[^"]+","status":"completed".*)\n/.exec(events)?.[1];
    expect(isWhole(JSON.parse(last ?? '{}').response)).toBe(true);
  });

  test('is the artifact of the task: in the answer, in a later read, and in a stream', async () => {
    const client = await officialClient(agentUrls(agent).agent, agent.key);
    const task = asTask(await client.sendMessage(sending('Hello')));
    expect(isWhole(readData(task.artifacts[0]?.parts))).toBe(true);
    const later = await client.getTask({ id: task.id, tenant: '', historyLength: undefined });
    expect(isWhole(readData(later.artifacts[0]?.parts))).toBe(true);
    const streamed: unknown[] = [];
    for await (const { payload } of client.sendMessageStream(sending('Hello')))
      if (payload?.$case === 'artifactUpdate') streamed.push(readData(payload.value.artifact?.parts));
    expect(streamed.map(isWhole)).toEqual([true]);
  });

  test('is sent to the callback, signed', async () => {
    const receiver = await startReceiver();
    const secret = await newCallbackSecret(agent);
    const params = { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' };
    const body = { message: 'Hello', callback_url: receiver.url };
    const run_id = (await call('startRun', { key: agent.key, params, body })).body.workflow_id;
    await idle();
    expect(await settled(agent, { run_id })).toMatchObject({ state: 'delivered' });
    const [callback] = receiver.received;
    expect(isWhole(callback?.content.data.response)).toBe(true);
    expect(callback && isSigned(callback, secret)).toBe(true);
    await receiver.close();
  });
});

describe('the chunks of a response', () => {
  const large = { text: noises.join('') };
  async function newRunner(lease: string, id?: string) {
    const { orgid, workspaceid } = await newCaller();
    const ttl = Math.floor(Date.now() / 1_000) + 3_600;
    const deadline = Date.now() + 60_000;
    const fresh = { orgid, workspaceid, generation: 0, lease, lease_until: 0, deadline, ttl };
    const stored = id === undefined ? run({ ...fresh, run_id: newRunId() }) : await readRun(id);
    if (!stored) throw new Error('There is no such run.');
    if (id === undefined) await insertRun(stored);
    expect(await claimRun(stored, lease, Date.now(), Date.now() - 1)).toBe(true);
    return { id: stored.run_id, recorder: createRecorder({ run: stored, lease, leaseMs: 60_000 }) };
  }
  const readChunks = async (id: string) =>
    (await runWrites(id)).filter(({ sk }) => sk.startsWith('RESPONSE#'));

  test('of a worker that lost its lease are never read, and expire with the run', async () => {
    const stale = await newRunner('stale');
    const successor = await newRunner('successor', stale.id);
    expect(await stale.recorder.finish({ status: 'completed', response: { ...large, by: 'stale' } })).toBe(
      false,
    );
    expect(await readEvents(stale.id)).toEqual([]);
    expect(
      await successor.recorder.finish({ status: 'completed', response: { ...large, by: 'successor' } }),
    ).toBe(true);
    const [event] = await readEvents(stale.id);
    expect(JSON.parse(event?.response ?? '{}').by).toBe('successor');
    const chunks = await readChunks(stale.id);
    expect(new Set(chunks.map(({ sk }) => sk.split('#')[1]))).toEqual(new Set(['1.stale', '1.successor']));
    expect(new Set(chunks.map(({ ttl }) => ttl))).toEqual(new Set([(await readRun(stale.id))?.ttl]));
  });

  test('that have expired before their run make the run one that is not found', async () => {
    const { id, recorder } = await newRunner('only');
    await recorder.finish({ status: 'completed', response: large });
    const [item] = await readEventItems(id, 0);
    if (!item?.response_chunks) throw new Error('The response is in no chunks.');
    expect(item.response_chunks.count).toBeGreaterThan(1);
    const prefix = `RESPONSE#${item.response_chunks.place}#`;
    await deleteChunks({ table: runsTable, pk: `RUN#${id}`, prefix }, 1);
    await expect(readEvents(id)).rejects.toMatchObject({ code: 'run_not_found' });
  });
});
