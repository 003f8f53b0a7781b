// What becomes of the requests to a sink: whose runs it gets, by which credential, and what its answers lead to.
import { beforeEach, describe, expect, test } from 'vitest';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { bearer, putConnection } from '#test/support/connections.ts';
import { flushDelayedDeliveries, idle } from '#test/support/control.ts';
import { liveAgent } from '#test/support/flows.ts';
import { type OtlpReceiver, startOtlpReceiver } from '#test/support/otlp-receiver.ts';
import { exportedAgent, readSettings, runAgent, withSink } from '#test/support/telemetry.ts';
import { setting } from '#test/support/triggers.ts';

let receiver: OtlpReceiver;
beforeEach(async () => {
  receiver = await startOtlpReceiver();
  return () => receiver.close();
});

describe('the sink of a workspace', () => {
  test('gets no run of another workspace or organisation, and none of another environment', async () => {
    const agent = await exportedAgent(receiver);
    const [other, sibling] = [await liveAgent(), await liveAgent({}, { ...agent, workspaceid: 'another' })];
    await runAgent(other);
    await runAgent(sibling);
    const { flowid, workspaceid, key } = agent;
    const params = { workspace_id: workspaceid, trigger_id: flowid, environment: 'test' };
    await call('triggerFlow', { key, params, body: { message: 'Hello' } });
    await idle();
    expect(receiver.bodies).toEqual([]);
    await runAgent(agent);
    expect(receiver.bodies).toHaveLength(1);
  });

  test('gets nothing any more once it is removed, not even what waits', async () => {
    const agent = await exportedAgent(receiver);
    receiver.answers.push({ status: 503 });
    await runAgent(agent);
    await setting(agent, 'live', {});
    await flushDelayedDeliveries();
    await runAgent(agent);
    expect(receiver.bodies).toHaveLength(1);
  });

  test('gets the credential of its connection, which is shown nowhere', async () => {
    const agent = await liveAgent();
    await putConnection(agent, 'sink', bearer('hunter2-hunter2', { hosts: [receiver.host] }));
    const set = await withSink(agent, receiver, { connection: 'sink' });
    receiver.answers.push({ status: 400, body: JSON.stringify({ message: 'bad token hunter2-hunter2' }) });
    await runAgent(agent);
    expect(receiver.headers[0]?.authorization).toBe('Bearer hunter2-hunter2');
    const { body, text } = await readSettings(agent);
    expect(body.telemetry_state?.last_error).toMatchObject({ reason: '400', detail: 'bad token [secret]' });
    expect([text, set.text, receiver.bodies.join()].join()).not.toContain('hunter2');
  });

  test('gets nothing by a connection that is missing or is for other hosts', async () => {
    const agent = await liveAgent();
    await withSink(agent, receiver, { connection: 'sink' });
    await runAgent(agent);
    expect((await readSettings(agent)).body.telemetry_state).toMatchObject({
      dropped_runs: 0,
      last_error: { reason: 'connection.missing' },
    });
    await putConnection(agent, 'sink', bearer('hunter2-hunter2', { hosts: ['api.crm.example'] }));
    await flushDelayedDeliveries();
    expect((await readSettings(agent)).body.telemetry_state).toMatchObject({
      dropped_runs: 1,
      last_error: { reason: 'connection.host' },
    });
    expect(receiver.bodies).toEqual([]);
  });
});

describe('a receiver that', () => {
  test.each([
    ['is down', { status: 0, isBroken: true }, 'network'],
    ['answers 503', { status: 503 }, '503'],
    ['answers 429', { status: 429, headers: { 'retry-after': '7' } }, '429'],
  ])('%s gets the same spans again', async (_, answer, reason) => {
    const agent = await exportedAgent(receiver);
    receiver.answers.push(answer);
    await runAgent(agent);
    expect(receiver.spans).toEqual([]);
    const { telemetry_state } = (await readSettings(agent)).body;
    expect(telemetry_state).toMatchObject({ dropped_runs: 0, last_error: { reason } });
    await flushDelayedDeliveries();
    const [first, second, ...others] = receiver.bodies;
    expect(second).toBe(first);
    expect(others).toEqual([]);
    expect((await readSettings(agent)).body.telemetry_state).toMatchObject({
      last_exported_at: expect.any(String),
      dropped_runs: 0,
    });
  });

  test.each([400, 401, 404, 500, 302])(
    'answers %s does not get them again, and the run is counted',
    async (status) => {
      const agent = await exportedAgent(receiver);
      receiver.answers.push({ status });
      await runAgent(agent);
      await flushDelayedDeliveries();
      expect(receiver.bodies).toHaveLength(1);
      expect((await readSettings(agent)).body.telemetry_state).toMatchObject({
        dropped_runs: 1,
        rejected_spans: 0,
        last_error: { reason: String(status) },
      });
    },
  );

  test('never answers well is given up after eight attempts', async () => {
    const agent = await exportedAgent(receiver);
    receiver.answers.push(...Array.from({ length: 20 }, () => ({ status: 503 })));
    await runAgent(agent);
    for (
      let turn = 0;
      turn < 150 && (await readSettings(agent)).body.telemetry_state?.dropped_runs === 0;
      turn += 1
    )
      await flushDelayedDeliveries();
    expect(receiver.bodies).toHaveLength(8);
    expect((await readSettings(agent)).body.telemetry_state).toMatchObject({ dropped_runs: 1 });
  });

  test('refuses a part of the spans is believed, and not asked again', async () => {
    const agent = await exportedAgent(receiver);
    const partialSuccess = { rejectedSpans: '1', errorMessage: 'too\nold' };
    receiver.answers.push({ status: 200, body: JSON.stringify({ partialSuccess }) });
    await runAgent(agent);
    await flushDelayedDeliveries();
    expect(receiver.bodies).toHaveLength(1);
    expect((await readSettings(agent)).body.telemetry_state).toMatchObject({
      dropped_runs: 0,
      rejected_spans: 1,
      last_error: { reason: 'partial_success', detail: 'too old' },
    });
  });
});

describe('the settings', () => {
  test('have the state of a sink that was used, also for a client that knows the version', async () => {
    const agent = await exportedAgent(receiver);
    const first = await readSettings(agent);
    expect(first.body.telemetry_state).toEqual({ dropped_runs: 0, rejected_spans: 0 });
    const etag = first.headers.get('etag') ?? '';
    expect((await readSettings(agent, { 'if-none-match': etag })).status).toBe(200);
  });

  test('have no state without a sink', async () => {
    const agent = await liveAgent();
    await setting(agent, 'live', {});
    expect((await readSettings(agent)).body).not.toHaveProperty('telemetry_state');
  });

  test.each([
    ['http', 'http://collector.example/v1/traces'],
    ['a user name', 'https://user@collector.example/v1/traces'],
    ['a fragment', 'https://collector.example/v1/traces#x'],
    ['no URL', 'collector.example'],
  ])('refuse an endpoint with %s', async (_, endpoint) => {
    const { problem } = await setting(await newOwner(), 'live', { telemetry: { endpoint } });
    expect(problem).toMatchObject({ status: 400, errors: [{ pointer: '/body/telemetry/endpoint' }] });
  });
});

const newOwner = async () => ({ ...(await newCaller()), flowid: 'any', a2aregistryid: 'any' });
