import { beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '#lib/json/json.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { bearer, putConnection } from '#test/support/connections.ts';
import { type OtlpReceiver, startOtlpReceiver } from '#test/support/otlp-receiver.ts';
import { readSettings } from '#test/support/telemetry.ts';
import { setting } from '#test/support/triggers.ts';

const token = 'hunter2-hunter2';
let receiver: OtlpReceiver;
beforeEach(async () => {
  receiver = await startOtlpReceiver();
  return () => receiver.close();
});

const attempt = ({ key, workspaceid }: TestCaller, telemetry?: JsonObject) =>
  call('tryTelemetry', {
    key,
    params: { environment: 'live' },
    query: { workspaceid },
    body: telemetry ? { telemetry } : {},
  });

async function callerWithSink(some: JsonObject = {}) {
  const caller = await newCaller();
  const agent = { ...caller, flowid: 'any', a2aregistryid: 'any' };
  await setting(agent, 'live', { telemetry: { endpoint: receiver.endpoint, ...some } });
  return caller;
}

describe('200', () => {
  test('the sink of the environment gets one span, and what it answered is returned', async () => {
    const caller = await callerWithSink();
    const { body } = await attempt(caller);
    expect(body).toEqual({
      host: receiver.host,
      accepted: true,
      status: 200,
      answer: '{}',
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      duration_ms: expect.any(Number),
    });
    expect(receiver.spans).toEqual([
      expect.objectContaining({ traceId: body.trace_id, name: 'test of telemetry', attributes: {} }),
    ]);
    expect(receiver.resources[0]).toMatchObject({
      'agent_flow.orgid': caller.orgid,
      'deployment.environment.name': 'live',
    });
    expect((await readSettings(caller)).body.telemetry_state).toEqual({ dropped_runs: 0, rejected_spans: 0 });
  });

  test('a sink that is given is used instead, and not stored', async () => {
    const other = await startOtlpReceiver('protobuf');
    const caller = await callerWithSink();
    const { body } = await attempt(caller, { endpoint: other.endpoint, encoding: 'protobuf' });
    expect(body).toMatchObject({ host: other.host, accepted: true, status: 200 });
    expect([receiver.spans.length, other.spans.length]).toEqual([0, 1]);
    expect((await readSettings(caller)).body.telemetry?.endpoint).toBe(receiver.endpoint);
    await other.close();
  });

  test('the credential of the connection is sent, and shown nowhere', async () => {
    const caller = await callerWithSink({ connection: 'sink' });
    await putConnection(caller, 'sink', bearer(token, { hosts: [receiver.host] }));
    receiver.answers.push({ status: 401, body: JSON.stringify({ message: `bad token\n${token}` }) });
    const { body, text } = await attempt(caller);
    expect(receiver.headers[0]?.authorization).toBe(`Bearer ${token}`);
    expect(body).toMatchObject({ accepted: false, status: 401, answer: 'bad token [secret]' });
    expect(text).not.toContain(token);
  });

  test('a sink that refuses the span in its answer has not accepted it', async () => {
    const caller = await callerWithSink();
    const partialSuccess = { rejectedSpans: '1', errorMessage: 'no project' };
    receiver.answers.push({ status: 200, body: JSON.stringify({ partialSuccess }) });
    expect((await attempt(caller)).body).toMatchObject({
      accepted: false,
      status: 200,
      answer: 'no project',
    });
  });

  test('of a long answer, the first characters are returned, in one line', async () => {
    const caller = await callerWithSink();
    receiver.answers.push({ status: 502, body: `<html>\u0000\n${'x'.repeat(5_000)}` });
    const { body } = await attempt(caller);
    expect(body.answer).toMatch(/^<html> x+…?$/);
    expect(body.answer?.length).toBeLessThanOrEqual(301);
    expect(receiver.bodies).toHaveLength(1);
  });

  test.each([
    ['the address is private', { endpoint: 'https://169.254.169.254/v1/traces' }, 'egress.private_address'],
    ['the connection is missing', { connection: 'sink' }, 'connection.missing'],
  ])('an error in words says that %s', async (_, some, code) => {
    const { status, body } = await attempt(await newCaller(), { endpoint: receiver.endpoint, ...some });
    expect(status).toBe(200);
    expect(body).toMatchObject({ accepted: false, error: { code, message: expect.any(String) } });
    expect(body).not.toHaveProperty('status');
    expect(receiver.bodies).toEqual([]);
  });

  test('an error in words says that the sink is down, or the connection is for other hosts', async () => {
    const caller = await callerWithSink();
    receiver.answers.push({ status: 0, isBroken: true });
    expect((await attempt(caller)).body.error?.code).toBe('http.network');
    await putConnection(caller, 'sink', bearer(token, { hosts: ['api.crm.example'] }));
    const sink = { endpoint: receiver.endpoint, connection: 'sink' };
    expect((await attempt(caller, sink)).body.error?.code).toBe('connection.host');
  });
});

describe('400', () => {
  test('an environment without a sink, one that nobody has set, and that of a stranger look alike', async () => {
    const caller = await newCaller();
    const owner = await callerWithSink();
    const stranger = await newCaller({ workspaces: [owner.workspaceid] });
    const errors = [
      {
        pointer: '/body/telemetry',
        detail: 'must be given, because the environment has no telemetry',
      },
    ];
    expect((await attempt(caller)).problem).toMatchObject({ code: 'validation_failed', errors });
    const agent = { ...caller, flowid: 'any', a2aregistryid: 'any' };
    await setting(agent, 'live', {});
    expect((await attempt(caller)).problem).toMatchObject({ errors });
    const foreign = await attempt({ ...stranger, workspaceid: owner.workspaceid });
    expect(foreign.problem).toMatchObject({ errors });
    expect(receiver.bodies).toEqual([]);
  });

  test('a sink that could not be stored', async () => {
    const { problem } = await attempt(await newCaller(), { endpoint: 'http://collector.example/v1/traces' });
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/body/telemetry/endpoint']);
  });
});

describe('403', () => {
  test('a key without the permission to set environments', async () => {
    const caller = await callerWithSink();
    const reader = await newCaller({ orgid: caller.orgid, scopes: ['assistants.flows:read'] });
    expect((await attempt({ ...caller, key: reader.key })).problem.code).toBe('permission_denied');
    expect(receiver.bodies).toEqual([]);
  });
});
