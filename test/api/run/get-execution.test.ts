import { describe, expect, test } from 'vitest';
import { newRunId } from '#lib/ids.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { agentUrls, newMessage, readTaskId, rpc } from '#test/support/a2a.ts';
import { flow, newRow } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { newModelScript, scriptedModels } from '#test/support/model-script.ts';
import { resumeRun } from '#test/support/run-calls.ts';
import { deliver, webhookMessage } from '#test/support/runs.ts';
import { findText, readTables } from '#test/support/table-scan.ts';
import { setting } from '#test/support/triggers.ts';

const read = ({ key }: Pick<TestCaller, 'key'>, workflow_id: string, execution: string) =>
  call('getRunExecution', { key, params: { workflow_id, execution } });

/** A build that is only in `test`, where values are kept unless the environment says otherwise. */
async function testAgent(nodes: JsonObject, some: JsonObject = {}): Promise<TestAgent> {
  const owner = await newCaller();
  const [start = ''] = Object.keys(nodes);
  const flowid = unique('flow');
  const row = await newRow(owner, { flowid, flow: flow({ start, nodes, models: scriptedModels, ...some }) });
  return { ...owner, flowid, a2aregistryid: row.a2aregistryid };
}

const run = async (agent: TestAgent, body: object, environment = 'test') => {
  const params = { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment };
  return (await call('triggerFlow', { key: agent.key, params, body: { message: '', ...body } })).body;
};

const done = { type: 'end', output: { text: '{{ nodes.make.text }}' } };
const making = {
  make: {
    type: 'transform',
    output: { text: 'Hello {{ input.message }}', password: '{{ input.user_variables.pin }}' },
    next: 'done',
  },
  done,
};
const failing = {
  make: { type: 'transform', output: { text: 'x' }, next: 'stop' },
  stop: { type: 'fail', message: 'No stock of {{ input.message }}.' },
};

describe('200', () => {
  test('a node has its fields with their values as input, and its output, without what looks like a secret', async () => {
    const agent = await testAgent(making);
    const secret = `hunter-${crypto.randomUUID()}`;
    const { workflow_id } = await run(agent, { message: 'tea', user_variables: { pin: secret } });
    const answer = await read(agent, workflow_id, 'make.1');
    const value = { text: 'Hello tea', password: '[redacted]' };
    expect(answer.body).toEqual({
      workflow_id,
      execution: 'make.1',
      node_id: 'make',
      node_type: 'transform',
      visit: 1,
      status: 'completed',
      ended_at: expect.any(String),
      input: { output: value },
      output: value,
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(findText(secret, await readTables())).toEqual([]);
  });

  test('nodes in a map differ by their scope, and one that failed has its error', async () => {
    const agent = await testAgent({
      each: {
        type: 'map',
        items: '{{ input.user_variables.items }}',
        on_error: 'collect',
        body: {
          start: 'check',
          nodes: {
            check: { type: 'switch', cases: [{ when: '{{ item = 2 }}', next: 'stop' }], default: 'pass' },
            stop: { type: 'fail', message: 'Not {{ item }}.' },
            pass: { type: 'transform', output: '{{ item }}' },
          },
        },
        next: 'done',
      },
      done: { type: 'end', output: { text: 'done' } },
    });
    const { workflow_id } = await run(agent, { user_variables: { items: [1, 2] } });
    expect((await read(agent, workflow_id, 'each.1.0.pass.1')).body).toMatchObject({
      scope: 'each.1.0',
      output: 1,
    });
    expect((await read(agent, workflow_id, 'each.1.1.stop.1')).body).toMatchObject({
      status: 'failed',
      input: { message: 'Not 2.' },
      error: { message: 'Not 2.' },
    });
    expect((await read(agent, workflow_id, 'each.1')).body).toMatchObject({ input: { items: [1, 2] } });
  });

  test('it has the variables that it has set, also where its error was caught', async () => {
    const agent = await testAgent(
      {
        make: {
          type: 'transform',
          output: 2,
          assign: { n: '{{ nodes.make + 1 }}', pin_secret: 'x' },
          next: 'bad',
        },
        bad: {
          type: 'transform',
          output: '{{ $error("No stock.") }}',
          catch: [{ on: ['*'], next: 'done', assign: { n: '{{ state.n + 1 }}' } }],
          next: 'done',
        },
        done: { type: 'end', output: { n: '{{ state.n }}', pin: '{{ state.pin_secret }}' } },
      },
      { state: { n: 0, pin_secret: '' } },
    );
    const { workflow_id } = await run(agent, {});
    const assigned = async (execution: string) => (await read(agent, workflow_id, execution)).body.assigned;
    expect(await assigned('make.1')).toEqual({ n: 3, pin_secret: '[redacted]' });
    expect(await assigned('bad.1')).toEqual({ n: 4 });
    expect(await assigned('done.1')).toBeUndefined();
  });

  test('an agent has what it said to its model, call by call, also across a pause', async () => {
    const script = newModelScript();
    const agent = await testAgent({
      make: {
        type: 'agent',
        instructions: 'Help.',
        tools: [{ ask_user: {} }],
        next: 'done',
      },
      done,
    });
    const started = run(agent, { message: script.prompt });
    await script.callTool('ask_user', { question: 'Which one?' });
    const { workflow_id } = await started;
    await resumeRun(agent, workflow_id, { answer: 'The red one' });
    await script.answer('Red it is.', 2);
    await idle();
    const { body } = await read(agent, workflow_id, 'make.1');
    expect(body).toMatchObject({
      status: 'completed',
      output: { text: 'Red it is.' },
      models: [
        {
          system: expect.stringContaining('Help.'),
          earlier_messages: 0,
          messages: [{ role: 'user', content: script.prompt }],
          tool_calls: [{ name: 'ask_user', arguments: { question: 'Which one?' } }],
          tokens: { input: 1, output: 1 },
        },
        { answer: 'Red it is.' },
      ],
    });
    expect(JSON.stringify(body.models?.[1])).toContain('The red one');
  });

  test('its tokens and their cost are those of all attempts, as in the path of the run', async () => {
    const script = newModelScript();
    const agent = await testAgent({
      make: {
        type: 'llm',
        prompt: '{{ input.message }}',
        retry: { max_attempts: 2, on: ['model.refused'], delay_ms: 0 },
        next: 'done',
      },
      done: { type: 'end', output: {} },
    });
    const started = run(agent, { message: script.prompt });
    await script.answer('I cannot', 1, { reason: 'content_filter', tokens: { input: 800, output: 3 } });
    await script.answer('Yes', 2, { tokens: { input: 900, output: 4 } });
    const { workflow_id } = await started;
    const tokens = { input: 1_700, output: 7 };
    const { body } = await read(agent, workflow_id, 'make.1');
    expect(body).toMatchObject({ tokens, cost_estimate: 0.005205, currency: 'USD' });
    const { path } = (await call('getRunDetail', { key: agent.key, params: { workflow_id } })).body;
    expect(path[0]).toMatchObject({ node_id: 'make', tokens, cost_estimate: body.cost_estimate });
    const free = (await read(agent, workflow_id, 'done.1')).body;
    for (const name of ['tokens', 'cost_estimate', 'currency']) expect(free).not.toHaveProperty(name);
  });

  test('with `failed`, a run that fails has the values of its nodes and its input, also in live', async () => {
    const agent = await liveAgent({ flow: flow({ start: 'make', nodes: failing }) });
    await setting(agent, 'live', { keep_values: 'failed' });
    const { workflow_id } = await run(agent, { message: 'tea' }, 'live');
    expect((await read(agent, workflow_id, 'stop.1')).body.error?.message).toContain('No stock of tea.');
    expect((await read(agent, workflow_id, 'make.1')).body.output).toEqual({ text: 'x' });
    const input = await call('getRunInput', { key: agent.key, params: { workflow_id } });
    expect(input.body.input).toMatchObject({ message: 'tea' });
  });

  test('each reading leaves an audit record with the run and the reader', async () => {
    const agent = await testAgent(making);
    const { workflow_id } = await run(agent, {});
    await read(agent, workflow_id, 'make.1');
    await idle();
    const query = { workspaceid: agent.workspaceid };
    const records = (await call('listAudit', { key: agent.key, query })).body.items;
    expect(records.filter(({ operation }) => operation === 'run/get-execution')).toMatchObject([
      { caller: agent.id, resource: workflow_id, status: 200 },
    ]);
  });
});

describe('403', () => {
  test('a key that may start and see runs may not read their values', async () => {
    const agent = await testAgent(making);
    const { workflow_id } = await run(agent, {});
    const scopes = ['assistants.flows:read', 'assistants.flows:run'] as const;
    const watcher = await newCaller({ orgid: agent.orgid, workspaces: [agent.workspaceid], scopes });
    expect((await read(watcher, workflow_id, 'make.1')).problem).toMatchObject({
      status: 403,
      code: 'permission_denied',
    });
  });
});

describe('404', () => {
  const notKept = { status: 404, code: 'run_values_not_kept' };

  test('a missing run and one of another organisation or workspace give the same error', async () => {
    const agent = await testAgent(making);
    const { workflow_id } = await run(agent, {});
    const others = [await newCaller(), await newCaller({ orgid: agent.orgid, workspaces: [unique('ws')] })];
    const foreign = await Promise.all(
      others.map(async (other) => (await read(other, workflow_id, 'make.1')).problem),
    );
    const missing = (await read(agent, newRunId(), 'make.1')).problem;
    expect(missing).toMatchObject({ status: 404, code: 'run_not_found' });
    for (const problem of foreign) expect({ ...problem, instance: '' }).toEqual({ ...missing, instance: '' });
  });

  test('nothing is kept in live, nor where the environment says `off`, nor of runs that end well with `failed`', async () => {
    const live = await liveAgent({ flow: flow({ start: 'make', nodes: making }) });
    const off = await testAgent(making);
    await setting(off, 'test', { keep_values: 'off' });
    const failed = await testAgent(making);
    await setting(failed, 'test', { keep_values: 'failed' });
    for (const [agent, environment] of [
      [live, 'live'],
      [off, 'test'],
      [failed, 'test'],
    ] as const) {
      const { workflow_id } = await run(agent, {}, environment);
      const { problem } = await read(agent, workflow_id, 'make.1');
      expect(problem).toMatchObject(notKept);
      expect(problem?.detail).toContain(`the environment ${environment}`);
      const input = await call('getRunInput', { key: agent.key, params: { workflow_id } });
      expect(input.problem).toMatchObject({ code: 'run_input_not_kept' });
    }
  });

  test('an execution that there was not is said to be none of those that were kept', async () => {
    const agent = await testAgent(making);
    const { workflow_id } = await run(agent, {});
    const { problem } = await read(agent, workflow_id, 'make.2');
    expect(problem).toMatchObject({
      ...notKept,
      detail: expect.stringContaining('none of such an execution'),
    });
  });

  test('of the run of a caller of another organisation, the owner of the flow sees the input alone', async () => {
    const agent = await liveAgent({ flow: flow({ start: 'make', nodes: making }), visibility: 'public' });
    await setting(agent, 'live', { keep_values: 'all' });
    const stranger = await newCaller();
    const { result } = await rpc(agentUrls(agent).agent, stranger.key, 'SendMessage', {
      message: newMessage('Where is it?'),
    });
    const { problem } = await read(agent, readTaskId(result), 'make.1');
    expect(problem).toMatchObject({ ...notKept, detail: expect.stringContaining('another organisation') });
  });

  test('an event that became a dead letter has no run', async () => {
    const agent = await testAgent(making);
    const message = webhookMessage(agent);
    await deliver(JSON.stringify(message));
    await idle();
    expect((await read(agent, message.triggerId, 'make.1')).problem).toMatchObject({
      status: 404,
      code: 'event_not_run',
    });
  });
});
