import { describe, expect, test } from 'vitest';
import { newRunId } from '#lib/ids.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { flow, newRow } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import type { TestAgent } from '#test/support/flows.ts';
import { newModelScript, scriptedModels } from '#test/support/model-script.ts';
import { resumeRun } from '#test/support/run-calls.ts';
import { deliver, webhookMessage } from '#test/support/runs.ts';
import { setting } from '#test/support/triggers.ts';

const save = ({ key }: Pick<TestCaller, 'key'>, workflow_id: string, name?: string) =>
  call('getRunTest', { key, params: { workflow_id }, query: name === undefined ? {} : { name } });

/** A build that is only in `test`, where values are kept. */
async function testAgent(nodes: JsonObject): Promise<TestAgent & { readonly flow: JsonObject }> {
  const owner = await newCaller();
  const [start = ''] = Object.keys(nodes);
  const flowid = unique('flow');
  const written = flow({ start, nodes, models: scriptedModels });
  const { a2aregistryid } = await newRow(owner, { flowid, flow: written });
  return { ...owner, flowid, a2aregistryid, flow: JSON.parse(JSON.stringify(written)) };
}

const run = async (agent: TestAgent, body: object) => {
  const params = { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'test' };
  return (await call('triggerFlow', { key: agent.key, params, body: { message: '', ...body } })).body;
};

const done = { type: 'end', output: { text: '{{ nodes.write }}', size: '{{ nodes.size }}' } };
const asking = {
  write: { type: 'llm', prompt: '{{ input.message }}', next: 'size' },
  size: { type: 'ask', prompt: 'Which size?', choices: ['S', 'M'], next: 'done' },
  done,
};
const steady = { done: { type: 'end', output: { text: '{{ input.message }}' } } };

describe('200', () => {
  test('the test passes with the build of the run: its model is a mock, its answer an answer', async () => {
    const agent = await testAgent(asking);
    const script = newModelScript();
    const started = run(agent, { message: script.prompt });
    await script.answer('A red shirt.');
    const { workflow_id } = await started;
    await resumeRun(agent, workflow_id, { answer: 'M' });
    await idle();
    const { body, headers } = await save(agent, workflow_id, 'a shirt');
    expect(body).toMatchObject({
      name: 'a shirt',
      input: { message: script.prompt },
      mocks: { write: 'A red shirt.' },
      answers: ['M'],
      expect: expect.stringContaining('$type(response.text) = "string" and response.size = "M"'),
    });
    expect(headers.get('cache-control')).toBe('no-store');
    const row = await newRow(agent, { flowid: agent.flowid, flow: { ...agent.flow, tests: [body] } });
    const params = { a2aregistryid: row.a2aregistryid };
    const report = await call('testRegistryRow', { key: agent.key, params });
    expect(report.body).toMatchObject({ passed: true, tests: [{ name: 'a shirt' }] });
  });

  test('each reading leaves an audit record with the run and the reader', async () => {
    const agent = await testAgent(steady);
    const { workflow_id } = await run(agent, {});
    await save(agent, workflow_id);
    await idle();
    const query = { workspaceid: agent.workspaceid };
    const records = (await call('listAudit', { key: agent.key, query })).body.items;
    expect(records.filter(({ operation }) => operation === 'run/get-test')).toMatchObject([
      { caller: agent.id, resource: workflow_id, status: 200 },
    ]);
  });
});

describe('403', () => {
  test('a key that may start and see runs may not save them', async () => {
    const agent = await testAgent(steady);
    const { workflow_id } = await run(agent, {});
    const scopes = ['assistants.flows:read', 'assistants.flows:run'] as const;
    const watcher = await newCaller({ orgid: agent.orgid, workspaces: [agent.workspaceid], scopes });
    expect((await save(watcher, workflow_id)).problem).toMatchObject({
      status: 403,
      code: 'permission_denied',
    });
  });
});

describe('404', () => {
  test('a missing run and one of another organisation or workspace give the same error', async () => {
    const agent = await testAgent(steady);
    const { workflow_id } = await run(agent, {});
    const others = [await newCaller(), await newCaller({ orgid: agent.orgid, workspaces: [unique('ws')] })];
    const foreign = await Promise.all(others.map(async (other) => (await save(other, workflow_id)).problem));
    const missing = (await save(agent, newRunId())).problem;
    expect(missing).toMatchObject({ status: 404, code: 'run_not_found' });
    for (const problem of foreign) expect({ ...problem, instance: '' }).toEqual({ ...missing, instance: '' });
  });

  test('without kept values, the setting of the environment is named', async () => {
    const agent = await testAgent(asking);
    await setting(agent, 'test', { keep_values: 'off' });
    const script = newModelScript();
    const started = run(agent, { message: script.prompt });
    await script.answer('A red shirt.');
    const { workflow_id } = await started;
    await resumeRun(agent, workflow_id, { answer: 'M' });
    await idle();
    const { problem } = await save(agent, workflow_id);
    expect(problem).toMatchObject({ status: 404, code: 'run_values_not_kept' });
    expect(problem?.detail).toContain('write.1');
    expect(problem?.detail).toContain('`keep_values` of the environment test');
  });

  test('without a kept input there is no test', async () => {
    const agent = await testAgent(steady);
    await setting(agent, 'test', { keep_values: 'off' });
    const { workflow_id } = await run(agent, {});
    expect((await save(agent, workflow_id)).problem).toMatchObject({
      status: 404,
      code: 'run_input_not_kept',
    });
  });

  test('an event that became a dead letter has no run', async () => {
    const agent = await testAgent(steady);
    const message = webhookMessage(agent);
    await deliver(JSON.stringify(message));
    await idle();
    const { problem } = await save(agent, message.triggerId);
    expect(problem).toMatchObject({ status: 404, code: 'event_not_run' });
  });
});

describe('409', () => {
  const refused = { status: 409, code: 'run_not_testable' };

  test('a run that has not ended is no test', async () => {
    const agent = await testAgent({ size: asking.size, done: { type: 'end', output: {} } });
    const { workflow_id } = await run(agent, {});
    const { problem } = await save(agent, workflow_id);
    expect(problem).toMatchObject({ ...refused, detail: expect.stringContaining('it is input_required') });
  });

  test('nor is a run whose build was deleted', async () => {
    const agent = await testAgent(steady);
    const { workflow_id } = await run(agent, {});
    const params = { a2aregistryid: agent.a2aregistryid };
    await call('deleteRegistryRow', { key: agent.key, params });
    const { problem } = await save(agent, workflow_id);
    expect(problem).toMatchObject({ ...refused, detail: expect.stringContaining('its build was deleted') });
  });
});
