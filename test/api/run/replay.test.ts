import { describe, expect, test } from 'vitest';
import { newRunId } from '#lib/ids.ts';
import { flow, newRow } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { startedRun } from '#test/support/run-calls.ts';
import { deliver, webhookMessage } from '#test/support/runs.ts';
import { setting } from '#test/support/triggers.ts';

const replay = ({ key }: Pick<TestCaller, 'key'>, workflow_id: string, body: object = {}) =>
  call('replayRun', { key, params: { workflow_id }, body });

const detail = async ({ key }: Pick<TestCaller, 'key'>, workflow_id: string) =>
  (await call('getRunDetail', { key, params: { workflow_id } })).body;

/** Answers with what it was given. */
const telling = (version = 1) =>
  flow({
    start: 'done',
    nodes: {
      done: { type: 'end', output: { version, input: '{{ input }}', greeting: '{{ env.GREETING }}' } },
    },
  });
const teller = () => liveAgent({ flow: telling() });

const input = { message: 'Where is it?', user_variables: { order: 7 } };
const triggered = async (agent: TestAgent, environment: string) => {
  const params = { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment };
  return (await call('triggerFlow', { key: agent.key, params, body: input })).body.workflow_id;
};

/** The run that ran again, once it has ended. */
async function replayed(agent: TestAgent, id: string, body?: object) {
  const { workflow_id } = (await replay(agent, id, body)).body;
  await idle();
  return await detail(agent, workflow_id);
}

describe('202', () => {
  test('the new run has the input of the other, and both name each other', async () => {
    const agent = await teller();
    const id = await startedRun(agent, 'Where is it?');
    await idle();
    const answer = await replay(agent, id);
    expect(answer).toMatchObject({ status: 202, body: { status: 'pending', replay_of: id } });
    const { workflow_id } = answer.body;
    expect(answer.headers.get('location')).toBe(
      `/api/v1/ai/trigger/status/${agent.workspaceid}/${workflow_id}`,
    );
    await idle();
    expect(await detail(agent, workflow_id)).toMatchObject({
      status: 'completed',
      trigger: 'background',
      environment: 'live',
      replay_of: id,
      response: { input: { message: 'Where is it?' } },
    });
    expect((await detail(agent, id)).replays).toEqual([workflow_id]);
  });

  test('the run of a webhook keeps its event', async () => {
    const agent = await teller();
    const event = { event: 'order.paid', data: { order: 7 } };
    const message = webhookMessage(agent, { event });
    await deliver(JSON.stringify(message));
    await idle();
    expect((await replayed(agent, message.triggerId)).response).toMatchObject({ input: { event } });
  });

  test('a run of the synchronous trigger can run again where the environment keeps values', async () => {
    const agent = await teller();
    await newRow(agent, { flowid: agent.flowid, flow: telling(2) });
    const again = await replayed(agent, await triggered(agent, 'test'));
    expect(again).toMatchObject({ environment: 'test', response: { version: 2, input } });
  });

  test('with another input, in another environment, by another build', async () => {
    const agent = await teller();
    await newRow(agent, { flowid: agent.flowid, flow: telling(2) });
    const third = await newRow(agent, { flowid: agent.flowid, flow: telling(3) });
    await setting(agent, 'uat', { env: { GREETING: 'Good day' } });
    const id = await triggered(agent, 'live');
    const own = { input: { message: 'Another' } };
    const given = { message: 'Another', user_variables: {} };
    expect((await replayed(agent, id, own)).response).toMatchObject({ version: 1, input: given });
    const named = { ...own, environment: 'uat', a2aregistryid: third.a2aregistryid };
    expect(await replayed(agent, id, named)).toMatchObject({
      environment: 'uat',
      a2aregistryid: third.a2aregistryid,
      response: { version: 3, input: given, greeting: 'Good day' },
    });
  });

  test('a key without runs:inspect may give an input of its own', async () => {
    const agent = await teller();
    const id = await startedRun(agent);
    const scopes = ['assistants.flows:read', 'assistants.flows:run'] as const;
    const starter = await newCaller({ orgid: agent.orgid, workspaces: [agent.workspaceid], scopes });
    expect((await replay(starter, id, { input: { message: 'Mine' } })).status).toBe(202);
    expect((await replay(starter, id)).problem).toMatchObject({
      status: 403,
      code: 'permission_denied',
      detail: expect.stringContaining('runs:inspect'),
    });
  });
});

describe('400', () => {
  test('a build must be one of the same flow, and in live the live one', async () => {
    const agent = await teller();
    const id = await startedRun(agent);
    const test = await newRow(agent, { flowid: agent.flowid });
    const foreign = [await newRow(agent), await newRow(await newCaller())];
    const refusals = await Promise.all(
      foreign.map(({ a2aregistryid }) => replay(agent, id, { environment: 'test', a2aregistryid })),
    );
    for (const { problem } of refusals)
      expect(problem).toMatchObject({
        status: 400,
        code: 'validation_failed',
        errors: [
          {
            pointer: '/body/a2aregistryid',
            detail: `must be a build of the flow ${agent.flowid} in the workspace of the run`,
          },
        ],
      });
    expect((await replay(agent, id, { a2aregistryid: test.a2aregistryid })).problem?.errors).toEqual([
      { pointer: '/body/a2aregistryid', detail: 'must be the live build, as the environment is live' },
    ]);
  });
});

describe('404', () => {
  test('a missing run and one of another organisation or workspace give the same error', async () => {
    const agent = await teller();
    const id = await startedRun(agent);
    const others = [await newCaller(), await newCaller({ orgid: agent.orgid, workspaces: [unique('ws')] })];
    const foreign = await Promise.all(others.map(async (other) => (await replay(other, id)).problem));
    const missing = (await replay(agent, newRunId())).problem;
    expect(missing).toMatchObject({ status: 404, code: 'run_not_found' });
    for (const problem of foreign) expect({ ...problem, instance: '' }).toEqual({ ...missing, instance: '' });
  });

  test('a run that kept no input needs one', async () => {
    const agent = await teller();
    const { problem } = await replay(agent, await triggered(agent, 'live'));
    expect(problem).toMatchObject({ status: 404, code: 'run_input_not_kept' });
  });

  test('a flow without a build in the environment', async () => {
    const agent = await teller();
    const { problem } = await replay(agent, await startedRun(agent), { environment: 'test' });
    expect(problem).toMatchObject({ status: 404, code: 'trigger_not_found' });
  });

  test('an event that became a dead letter has no run', async () => {
    const agent = await teller();
    const message = webhookMessage({ ...agent, flowid: unique('flow') });
    await deliver(JSON.stringify(message));
    await idle();
    expect((await replay(agent, message.triggerId)).problem).toMatchObject({ code: 'event_not_run' });
  });
});

describe('409', () => {
  test('the environment pins a build that is gone', async () => {
    const agent = await teller();
    const id = await startedRun(agent);
    const pinned = await newRow(agent, { flowid: agent.flowid });
    await setting(agent, 'uat', { pins: { [agent.flowid]: pinned.a2aregistryid } });
    const params = { a2aregistryid: pinned.a2aregistryid };
    await call('deleteRegistryRow', { key: agent.key, params });
    const { problem } = await replay(agent, id, { environment: 'uat' });
    expect(problem).toMatchObject({ code: 'pinned_build_gone' });
  });
});
