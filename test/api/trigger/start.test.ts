import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newRow } from '#test/support/builders.ts';
import { newCallbackSecret } from '#test/support/callbacks.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { eventFor } from '#test/support/events.ts';
import { callingFlow, liveAgent, type TestAgent } from '#test/support/flows.ts';
import { invokeHere } from '#test/support/invocation.ts';
import { runState, startRun } from '#test/support/run-calls.ts';
import { expireStartKey } from '#test/support/runs.ts';
import { newTrigger, setting } from '#test/support/triggers.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

describe('202', () => {
  test('a started run is pending, has the URL of its status, and completes by itself', async () => {
    const agent = await liveAgent();
    const { body, headers } = await startRun(agent, 'Hi');
    expect(body).toEqual({
      workflow_id: expect.any(String),
      response: {},
      status: 'pending',
      logs: [],
      requires_input: false,
      error: null,
    });
    expect(headers.get('location')).toBe(
      `/api/v1/ai/trigger/status/${agent.workspaceid}/${body.workflow_id}`,
    );
    await idle();
    expect(await runState(agent, body.workflow_id)).toMatchObject({
      status: 'completed',
      response: { said: 'Hi' },
    });
  });

  test('requests with the same Idempotency-Key have one run and one answer, also concurrently', async () => {
    const name = unique('count');
    const agent = await liveAgent({ flow: callingFlow(upstream, [`count/${name}`]) });
    const headers = { 'Idempotency-Key': unique('key') };
    const together = await Promise.all([1, 2, 3, 4].map(() => startRun(agent, 'Hi', headers)));
    await idle();
    const later = await startRun(agent, 'Hi', headers);
    await idle();
    expect(new Set([...together, later].map(({ text }) => text)).size).toBe(1);
    expect(upstream.calls(name)).toBe(1);
  });

  test('the order of members does not make it another request', async () => {
    const { key, flowid: trigger_id, workspaceid: workspace_id } = await liveAgent();
    const params = { workspace_id, trigger_id, environment: 'live' };
    const headers = { 'Idempotency-Key': unique('key') };
    const send = async (user_variables: object) => {
      const body = { message: 'Hi', user_variables };
      return (await call('startRun', { key, params, headers, body })).body.workflow_id;
    };
    expect(await send({ b: 2, a: { d: 4, c: 3 } })).toBe(await send({ a: { c: 3, d: 4 }, b: 2 }));
  });

  test('after a day the same Idempotency-Key starts another run, and refers to that from then on', async () => {
    const agent = await liveAgent();
    const key = unique('key');
    const send = async () => (await startRun(agent, 'Hi', { 'Idempotency-Key': key })).body.workflow_id;
    const first = await send();
    await expireStartKey({ orgid: agent.orgid, callerId: agent.id, key });
    const second = await send();
    expect(second).not.toBe(first);
    expect(await send()).toBe(second);
  });

  test('the same Idempotency-Key of another caller starts another run', async () => {
    const agent = await liveAgent();
    const headers = { 'Idempotency-Key': unique('key') };
    const colleague = { ...(await newCaller({ orgid: agent.orgid })), ...{ flowid: agent.flowid } };
    const first = await startRun(agent, 'Hi', headers);
    const second = await startRun({ ...colleague, workspaceid: agent.workspaceid }, 'Hi', headers);
    expect(second.body.workflow_id).not.toBe(first.body.workflow_id);
  });
});

describe('a callback', () => {
  const startWith = (agent: TestAgent, body: object, trigger_id = agent.flowid) =>
    call('startRun', {
      key: agent.key,
      params: { workspace_id: agent.workspaceid, trigger_id, environment: 'live' },
      body: { message: 'Hi', ...body },
    });
  const callback = { callback_url: 'https://receiver.example/hook' };

  test('in a workspace without a secret causes a warning, and the run starts', async () => {
    const agent = await liveAgent();
    const { status, body } = await startWith(agent, callback);
    expect(status).toBe(202);
    expect(body.warnings).toMatchObject([{ pointer: '/body/callback_url', code: 'callback_without_secret' }]);
    const trigger = await newTrigger(agent, { kind: 'background', ...callback });
    const declared = await startWith(agent, {}, trigger.trigger_id);
    expect(declared.body.warnings).toMatchObject([{ pointer: '/path/trigger_id' }]);
  });

  test('in a workspace with a secret causes no warning, nor does a start without a callback', async () => {
    const agent = await liveAgent();
    expect((await startWith(agent, {})).body).not.toHaveProperty('warnings');
    await newCallbackSecret(agent);
    expect((await startWith(agent, callback)).body).not.toHaveProperty('warnings');
  });
});

describe('400', () => {
  test('an invalid Idempotency-Key is reported', async () => {
    const { problem } = await startRun(await liveAgent(), 'Hi', { 'Idempotency-Key': 'a b' });
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/headers/idempotency-key']);
  });

  test.each([
    [5, 'must be text, not a number'],
    ['', 'must be a URL'],
    ['ftp://receiver.example', 'must be an https URL without user name, password or fragment'],
  ])('a callback_url of %j is reported as one mistake', async (callback_url, detail) => {
    const { key, workspaceid: workspace_id } = await newCaller();
    const { problem } = await call('startRun', {
      key,
      params: { workspace_id, trigger_id: unique('flow'), environment: 'live' },
      body: { message: '', callback_url },
    });
    expect(problem.errors).toEqual([{ pointer: '/body/callback_url', detail }]);
  });
});

describe('403', () => {
  test('a key for other workspaces', async () => {
    const agent = await liveAgent();
    const elsewhere = await newCaller({ orgid: agent.orgid, workspaces: [unique('ws')] });
    const { problem } = await startRun({ ...agent, key: elsewhere.key });
    expect(problem.code).toBe('permission_denied');
  });
});

describe('404', () => {
  test('a missing flow and one of another organisation give the same error', async () => {
    const agent = await liveAgent({ visibility: 'public' });
    const stranger = await newCaller();
    const foreign = (await startRun({ ...agent, key: stranger.key })).problem;
    const missing = (await startRun({ ...agent, flowid: unique('flow') })).problem;
    expect(foreign.code).toBe('trigger_not_found');
    expect({ ...foreign, instance: '', detail: '' }).toEqual({ ...missing, instance: '', detail: '' });
  });
});

describe('503', () => {
  test('a run that could not be queued is queued when the same request is sent again', async () => {
    const agent = await liveAgent();
    const { handler } = await import('#functions/trigger/start.ts');
    const key = unique('key');
    const request = {
      key: agent.key,
      params: { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' },
      body: { message: 'Hi' },
      headers: { 'Idempotency-Key': key },
    };
    const before = process.env.RUN_QUEUE_URL;
    process.env.RUN_QUEUE_URL = 'http://127.0.0.1:9/000000000000/nobody-listens';
    const refused = await invokeHere(handler, eventFor('startRun', request));
    process.env.RUN_QUEUE_URL = before;
    expect(refused).toMatchObject({ statusCode: 503, body: { code: 'dependency_unavailable' } });
    const { body } = await startRun(agent, 'Hi', request.headers);
    await idle();
    expect((await runState(agent, body.workflow_id)).status).toBe('completed');
  });
});

describe('409', () => {
  test('a declared trigger that is of another kind, or disabled', async () => {
    const agent = await liveAgent();
    const refused = async (some: object) => {
      const { trigger_id } = await newTrigger(agent, some);
      return (await startRun({ ...agent, flowid: trigger_id })).problem.code;
    };
    expect(await refused({ kind: 'webhook' })).toBe('trigger_kind_mismatch');
    expect(await refused({ kind: 'background', enabled: false })).toBe('trigger_disabled');
  });

  test('an environment whose pinned build was deleted', async () => {
    const agent = await liveAgent();
    const { a2aregistryid } = await newRow(agent, { flowid: agent.flowid });
    await setting(agent, 'uat', { pins: { [agent.flowid]: a2aregistryid } });
    await call('deleteRegistryRow', { key: agent.key, params: { a2aregistryid } });
    const params = { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'uat' };
    const { problem } = await call('startRun', { key: agent.key, params, body: { message: '' } });
    expect(problem.code).toBe('pinned_build_gone');
  });
});

describe('422', () => {
  test('an Idempotency-Key that came with another body starts nothing', async () => {
    const agent = await liveAgent();
    const headers = { 'Idempotency-Key': unique('key') };
    await startRun(agent, 'Hi', headers);
    expect((await startRun(agent, 'Other', headers)).problem.code).toBe('idempotency_key_reused');
  });
});
