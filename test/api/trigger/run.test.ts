import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunResult } from '#lib/run/result.ts';
import { readEvents, readRun } from '#lib/run/run-items.ts';
import { flow, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { callingFlow, failingFlow, liveAgent } from '#test/support/flows.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const path = (agent: { workspaceid: string; flowid: string }, environment = 'live') => ({
  workspace_id: agent.workspaceid,
  trigger_id: agent.flowid,
  environment,
});
const trigger = (
  caller: Pick<TestCaller, 'key'>,
  params: ReturnType<typeof path>,
  body: object = { message: 'Hello' },
) => call('triggerFlow', { key: caller.key, params, body });

const keys = ['workflow_id', 'response', 'status', 'logs', 'requires_input', 'error'].sort();

describe('200', () => {
  test('a completed run returns its response, and exactly the documented members', async () => {
    const agent = await liveAgent();
    const { text } = await trigger(agent, path(agent));
    const result: RunResult = JSON.parse(text);
    expect(Object.keys(result).sort()).toEqual(keys);
    expect(result).toMatchObject({
      status: 'completed',
      response: { said: 'Hello' },
      requires_input: false,
      error: null,
    });
    expect(result.logs.map(({ event }) => event)).toEqual([
      'run_started',
      'started',
      'completed',
      'run_completed',
    ]);
  });

  test('a failed run also gets 200, with an empty response and the reason', async () => {
    const agent = await liveAgent({ flow: failingFlow() });
    const { text } = await trigger(agent, path(agent), { message: 'tea' });
    const result: RunResult = JSON.parse(text);
    expect(Object.keys(result).sort()).toEqual(keys);
    expect(result).toMatchObject({ status: 'failed', response: {}, requires_input: false });
    expect(result.error).toContain('No stock of tea.');
  });

  test('the message may be empty, and the variables are optional', async () => {
    const agent = await liveAgent();
    expect((await trigger(agent, path(agent), { message: '' })).body.response).toEqual({ said: '' });
  });

  test('variables are passed to the flow, and those that violate its input schema fail the run by name', async () => {
    const nodes = { done: { type: 'end', output: { got: '{{ input.user_variables.order }}' } } };
    const input = { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] };
    const agent = await liveAgent({ flow: flow({ nodes, input }) });
    const run = async (user_variables: object) =>
      (await trigger(agent, path(agent), { message: '', user_variables })).body;
    expect((await run({ order: '1042' })).response).toEqual({ got: '1042' });
    expect(await run({ order: 7 })).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('order'),
    });
    expect(await run({})).toMatchObject({ status: 'failed', error: expect.stringContaining('order') });
  });

  test('hostile member names are plain data or dropped, and never change a prototype', async () => {
    const agent = await liveAgent({
      flow: flow({
        nodes: {
          done: { type: 'end', output: { all: '{{ input.user_variables }}', x: '{{ state.polluted }}' } },
        },
      }),
    });
    const user_variables = { constructor: { name: 'x' }, toString: 1, hasOwnProperty: 2 };
    const { body } = await trigger(agent, path(agent), { message: '', user_variables });
    expect(body.response.all).toEqual(user_variables);
    expect(body.response.x).toBeNull();
  });

  test('live and prod run the live build, test, dev and uat the newest test build, in any case', async () => {
    const caller = await newCaller();
    const flowid = unique('flow');
    const build = async (name: string) =>
      await newRow(caller, {
        flowid,
        flow: flow({ nodes: { done: { type: 'end', output: { build: name } } } }),
      });
    await promoted(caller, await build('live'));
    await build('older');
    await build('newest');
    const built = async (environment: string) =>
      (await trigger(caller, path({ ...caller, flowid }, environment))).body.response.build;
    for (const name of ['live', 'prod', 'LIVE', 'Prod']) expect(await built(name), name).toBe('live');
    for (const name of ['test', 'dev', 'uat', 'TEST', 'Dev', 'UAT'])
      expect(await built(name), name).toBe('newest');
  });

  test('a run beyond the time limit of the flow fails with a plain message, and its call is aborted', async () => {
    const gate = unique('gate');
    const agent = await liveAgent({
      flow: callingFlow(upstream, [`gate/${gate}`], { limits: { timeout_seconds: 1 } }),
    });
    const { body } = await trigger(agent, path(agent));
    expect(body).toMatchObject({ status: 'failed', response: {} });
    expect(body.error).toMatch(/time limit of 1 s/);
    await upstream.abandoned(gate);
  });

  test('nothing is written or executed after the answer', async () => {
    const [gate, later] = [unique('gate'), unique('later')];
    const agent = await liveAgent({
      flow: callingFlow(upstream, [`gate/${gate}`, `count/${later}`], { limits: { timeout_seconds: 1 } }),
    });
    const { workflow_id } = (await trigger(agent, path(agent))).body;
    const before = await readRun(workflow_id);
    upstream.open(gate);
    await upstream.abandoned(gate);
    // Another run takes longer than a tick of the recorder: time enough for a stray write of the first.
    const slow = {
      flow: callingFlow(upstream, [`gate/${unique('gate')}`], { limits: { timeout_seconds: 1.5 } }),
    };
    const other = await liveAgent(slow, agent);
    await trigger(other, path(other));
    expect(await readRun(workflow_id)).toEqual(before);
    expect(before).toMatchObject({ status: 'failed' });
    expect((await readEvents(workflow_id)).at(-1)?.generation).toBe(before?.generation);
    expect(upstream.calls(later)).toBe(0);
  });

  test('a response of more than 4 MB fails the run with that reason, and no part of it is stored', async () => {
    const parts = Array(70).fill('{{ input.message }}');
    const nodes = { done: { type: 'end', output: { parts } } };
    const agent = await liveAgent({ flow: flow({ nodes }) });
    const { body } = await trigger(agent, path(agent), { message: 'x'.repeat(60_000) });
    expect(body).toMatchObject({
      status: 'failed',
      response: {},
      error: `The response passed its limit of ${4 * 1024 ** 2} bytes. (output.too_large)`,
    });
    const params = { workspace_id: agent.workspaceid, workflow_id: body.workflow_id };
    expect((await call('getRun', { key: agent.key, params })).body).toMatchObject({ status: 'failed' });
  });

  test('a reply that is too large fails its node, and the run is stored', async () => {
    const part = '{{ input.message }}';
    const nodes = {
      say: { type: 'reply', data: [part, part, part, part], next: 'done' },
      done: { type: 'end', output: {} },
    };
    const agent = await liveAgent({ flow: flow({ start: 'say', nodes }) });
    const { body } = await trigger(agent, path(agent), { message: 'ä'.repeat(30_000) });
    expect(body).toMatchObject({ status: 'failed', error: expect.stringContaining('value.too_large') });
    expect((await readRun(body.workflow_id))?.status).toBe('failed');
  });

  test('the message may be left out', async () => {
    const agent = await liveAgent({
      flow: flow({ nodes: { done: { type: 'end', output: { m: '{{ input.message }}' } } } }),
    });
    expect((await trigger(agent, path(agent), {})).body).toMatchObject({
      status: 'completed',
      response: { m: '' },
    });
  });

  test('a large response is returned completely and stored', async () => {
    const text = 'ä'.repeat(30_000);
    const nodes = {
      done: {
        type: 'end',
        output: { text: '{{ input.message }}', more: '{{ input.message }}', most: '{{ input.message }}' },
      },
    };
    const agent = await liveAgent({ flow: flow({ nodes }) });
    const { body } = await trigger(agent, path(agent), { message: text });
    expect(body).toMatchObject({ status: 'completed', response: { text, more: text, most: text } });
    const { body: kept } = await call('getRun', {
      key: agent.key,
      params: { workspace_id: agent.workspaceid, workflow_id: body.workflow_id },
    });
    expect(kept.response).toEqual(body.response);
  });
});

describe('400', () => {
  test.each([
    [{ message: 7 }, '/body/message'],
    [{ message: '', user_variables: 'order' }, '/body/user_variables'],
    [{ message: '', user_variables: ['order'] }, '/body/user_variables'],
    [{ message: '', user_variables: null }, '/body/user_variables'],
    [{ message: '', extra: 1 }, '/body/extra'],
  ])('a body of %j is refused with the pointer to the mistake', async (body, pointer) => {
    const agent = await liveAgent();
    const { status, problem } = await trigger(agent, path(agent), body);
    expect(status).toBe(400);
    expect(problem.errors?.map((each) => each.pointer)).toEqual([pointer]);
  });

  test('an unknown environment is reported, with those that exist', async () => {
    const agent = await liveAgent();
    const { problem } = await trigger(agent, path(agent, 'staging'));
    expect(problem).toMatchObject({ status: 400, errors: [{ pointer: '/path/environment' }] });
    expect(problem.errors?.[0]?.detail).toMatch(/live.*prod.*test.*dev.*uat/);
  });
});

describe('403', () => {
  test('a key for other workspaces, and one without the permission to run', async () => {
    const agent = await liveAgent();
    const elsewhere = await newCaller({ orgid: agent.orgid, workspaces: [unique('ws')] });
    expect((await trigger(elsewhere, path(agent))).problem.detail).toContain('workspace');
    const reader = await newCaller({ orgid: agent.orgid, scopes: ['assistants.flows:read'] });
    expect((await trigger(reader, path(agent))).problem.detail).toContain('assistants.flows:run');
  });
});

describe('404', () => {
  test('a missing flow and one of another organisation give the same error', async () => {
    const agent = await liveAgent({ visibility: 'public' });
    const stranger = await newCaller();
    const foreign = (await trigger(stranger, path(agent))).problem;
    const missing = (await trigger(agent, path({ ...agent, flowid: unique('flow') }))).problem;
    expect(foreign.code).toBe('trigger_not_found');
    expect({ ...foreign, instance: '', detail: '' }).toEqual({ ...missing, instance: '', detail: '' });
  });

  test('an environment without a build is named', async () => {
    const caller = await newCaller();
    const { flowid } = await newRow(caller);
    const { problem } = await trigger(caller, path({ ...caller, flowid }, 'live'));
    expect(problem).toMatchObject({ status: 404, detail: expect.stringMatching(/live build/) });
    const agent = await liveAgent();
    expect((await trigger(agent, path(agent, 'uat'))).problem.detail).toMatch(/test build/);
  });
});
