import { describe, expect, test } from 'vitest';
import { newRunId } from '#lib/ids.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { newRow } from '#test/support/builders.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { bearer, putConnection } from '#test/support/connections.ts';
import { idle } from '#test/support/control.ts';
import {
  detail,
  fork,
  forked,
  loop,
  type Nodes,
  newBuild,
  ordered,
  ordering,
  priced,
  refused,
  run,
  testAgent,
  written,
} from '#test/support/forks.ts';
import { newModelScript } from '#test/support/model-script.ts';
import { resumeRun } from '#test/support/run-calls.ts';
import { deliver, webhookMessage } from '#test/support/runs.ts';
import { findText, readTables } from '#test/support/table-scan.ts';
import { setting } from '#test/support/triggers.ts';

describe('202', () => {
  test('nothing before the place is executed or asked again, and a corrected build continues', async () => {
    const { agent, workflow_id } = await ordered();
    const { a2aregistryid } = await newBuild(agent, priced, { draft: '' });
    const answer = await fork(agent, workflow_id, { from: 'price' });
    expect(answer).toMatchObject({
      status: 202,
      body: { status: 'pending', fork_of: workflow_id, fork_from: 'price.1' },
    });
    const id = answer.body.workflow_id;
    expect(answer.headers.get('location')).toBe(`/api/v1/ai/trigger/status/${agent.workspaceid}/${id}`);
    await idle();
    const after = await detail(agent, id);
    expect(after).toMatchObject({
      status: 'completed',
      trigger: 'background',
      environment: 'test',
      a2aregistryid,
      fork_of: workflow_id,
      fork_from: 'price.1',
      response: { text: 'A red shirt.', size: 'M', list: [2, 4] },
      tokens: { input: 0, output: 0 },
    });
    expect(after.path.map(({ node_id, reused = false }) => [node_id, reused])).toEqual([
      ['write', true],
      ['size', true],
      ['each', true],
      ['price', false],
      ['done', false],
    ]);
    expect((await detail(agent, workflow_id)).forks).toEqual([id]);
  });

  test('a place in a loop has the variables, the outputs and the visits of that moment', async () => {
    const agent = await testAgent(loop, { n: 0 });
    const { workflow_id } = await run(agent);
    const after = await forked(agent, workflow_id, { from: 'step.2', state: { n: 0 } });
    expect(after.response).toEqual({ n: 3, last: 2 });
    const own = after.path.filter(({ reused }) => !reused);
    expect(own.map(({ node_id, visit }) => `${node_id}.${visit}`)).toEqual([
      ...['step.2', 'again.2', 'step.3', 'again.3', 'step.4', 'again.4', 'done.1'],
    ]);
  });

  test('an error that was caught before the place is seen as before', async () => {
    const agent = await testAgent(
      {
        bad: {
          type: 'transform',
          output: '{{ $error("No stock.") }}',
          catch: [{ on: ['*'], next: 'done', assign: { failed: true } }],
          next: 'done',
        },
        done: {
          type: 'end',
          output: { message: '{{ nodes.bad.error.message }}', failed: '{{ state.failed }}' },
        },
      },
      { failed: false },
    );
    const before = await run(agent);
    const after = await forked(agent, before.workflow_id, { from: 'done' });
    expect(after.response).toEqual(before.response);
    expect(after.path[0]).toMatchObject({ node_id: 'bad', status: 'failed', reused: true });
  });

  test('outputs and variables of the request replace those that were kept', async () => {
    const { agent, workflow_id } = await ordered();
    await newBuild(agent, priced, { draft: '' });
    const outputs = { size: 'S', write: 'A blue shirt.' };
    const body = { from: 'price', outputs, state: { draft: 'A blue shirt.' } };
    expect((await forked(agent, workflow_id, body)).response).toEqual({
      text: 'A blue shirt.',
      size: 'S',
      list: [2, 4],
    });
  });

  test('a question at the place is asked again', async () => {
    const { agent, workflow_id } = await ordered();
    await newBuild(agent, priced, { draft: '' });
    const asking = await forked(agent, workflow_id, { from: 'size' });
    expect(asking).toMatchObject({ status: 'input_required', input_requests: [{ node_id: 'size' }] });
    await resumeRun(agent, asking.workflow_id, { answer: 'S' });
    await idle();
    const after = await detail(agent, asking.workflow_id);
    expect(after).toMatchObject({ status: 'completed', response: { size: 'S', list: [2, 4] } });
  });

  test('it waits for a connection that is missing now, and begins at its place then', async () => {
    const owner = await newCaller();
    await putConnection(owner, 'crm', bearer());
    const nodes = {
      make: { type: 'transform', output: 'kept', next: 'done' },
      done: { type: 'end', output: { text: '{{ nodes.make }}' } },
    };
    const connections = { crm: { type: 'http_bearer', hosts: ['api.crm.example'] } };
    const flowid = unique('flow');
    const { a2aregistryid } = await newRow(owner, { flowid, flow: { ...written(nodes), connections } });
    const agent = { ...owner, flowid, a2aregistryid };
    const { workflow_id } = await run(agent);
    const query = { workspaceid: owner.workspaceid };
    await call('deleteConnection', { key: owner.key, params: { name: 'crm' }, query });
    const waiting = await forked(agent, workflow_id, { from: 'done' });
    expect(waiting.status).toBe('auth_required');
    await putConnection(owner, 'crm', bearer());
    await idle();
    expect(await detail(agent, waiting.workflow_id)).toMatchObject({
      status: 'completed',
      response: { text: 'kept' },
      path: [{ node_id: 'make', reused: true }, { node_id: 'done' }],
    });
  });

  test('a fork is forked at what it has executed itself', async () => {
    const { agent, workflow_id } = await ordered();
    await newBuild(agent, priced, { draft: '' });
    const first = await forked(agent, workflow_id, { from: 'each', outputs: { size: 'S' } });
    const second = await forked(agent, first.workflow_id, { from: 'done' });
    expect(second).toMatchObject({
      fork_of: first.workflow_id,
      response: { text: 'A red shirt.', size: 'S', list: [2, 4] },
    });
  });

  test('what it begins with is encrypted', async () => {
    const secret = `draft-${crypto.randomUUID()}`;
    const agent = await testAgent({
      // The log shows the beginning of a value.
      make: { type: 'transform', output: `${'-'.repeat(1_000)}${secret}`, next: 'hold' },
      hold: { type: 'wait', seconds: 3_600, next: 'done' },
      done: { type: 'end', output: { text: '{{ nodes.make }}' } },
    });
    const { workflow_id } = await run(agent);
    await forked(agent, workflow_id, { from: 'hold' });
    expect(findText(secret, await readTables())).toEqual([]);
  });

  test('the fork leaves an audit record with the run', async () => {
    const agent = await testAgent(loop, { n: 0 });
    const { workflow_id } = await run(agent);
    await forked(agent, workflow_id, { from: 'done' });
    const query = { workspaceid: agent.workspaceid };
    const records = (await call('listAudit', { key: agent.key, query })).body.items;
    expect(records.filter(({ operation }) => operation === 'run/fork')).toMatchObject([
      { caller: agent.id, resource: workflow_id, status: 202 },
    ]);
  });
});

describe('400', () => {
  const mistake = (pointer: string, detail: string) => ({
    status: 400,
    code: 'validation_failed',
    errors: [{ pointer, detail: expect.stringContaining(detail) }],
  });

  test('the place is one execution outside of other nodes', async () => {
    const { agent, workflow_id } = await ordered();
    const refuse = async (from: string) => await refused(agent, workflow_id, { from });
    expect(await refuse('other')).toMatchObject(mistake('/body/from', 'write.1, size.1, each.1, price.1'));
    expect(await refuse('double')).toMatchObject(mistake('/body/from', 'outside of other nodes'));
    expect(await refuse('each.1.0.double.1')).toMatchObject(mistake('/body/from', 'fork from each.1,'));
    expect(await refuse('price.2')).toMatchObject(mistake('/body/from', 'write.1, size.1'));
  });

  test('a node that the run came by several times is named with its visit', async () => {
    const agent = await testAgent(loop, { n: 0 });
    const { workflow_id } = await run(agent);
    const problem = await refused(agent, workflow_id, { from: 'step' });
    expect(problem).toMatchObject(mistake('/body/from', 'several times: step.1, step.2, step.3'));
  });

  test('only outputs before the place and variables of the flow are replaced, and none is left that follows from them', async () => {
    const { agent, workflow_id } = await ordered();
    const refuse = async (body: object) => await refused(agent, workflow_id, { from: 'each', ...body });
    expect(await refuse({ outputs: { price: 1 } })).toMatchObject(mistake('/body/outputs/price', 'each.1'));
    expect(await refuse({ state: { other: 1 } })).toMatchObject(mistake('/body/state/other', 'a variable'));
    expect(await refuse({ outputs: { write: 'x' } })).toMatchObject(
      mistake('/body/state', 'must have draft, which write.1 has set'),
    );
  });

  test('the build must be one of the flow', async () => {
    const { agent, workflow_id } = await ordered();
    const { a2aregistryid } = await newRow(agent);
    const problem = await refused(agent, workflow_id, { from: 'price', a2aregistryid });
    expect(problem).toMatchObject(mistake('/body/a2aregistryid', agent.flowid));
  });
});

describe('403', () => {
  test('a key that may start and see runs may not read what they kept by a fork', async () => {
    const { agent, workflow_id } = await ordered();
    const scopes = ['assistants.flows:read', 'assistants.flows:run'] as const;
    const starter = await newCaller({ orgid: agent.orgid, workspaces: [agent.workspaceid], scopes });
    expect((await fork(starter, workflow_id, { from: 'price' })).problem).toMatchObject({
      status: 403,
      code: 'permission_denied',
      detail: expect.stringContaining('runs:inspect'),
    });
  });
});

describe('404', () => {
  const from = { from: 'done' };

  test('a missing run and one of another organisation or workspace give the same error', async () => {
    const agent = await testAgent(loop, { n: 0 });
    const { workflow_id } = await run(agent);
    const others = [await newCaller(), await newCaller({ orgid: agent.orgid, workspaces: [unique('ws')] })];
    const foreign = await Promise.all(
      others.map(async (other) => (await fork(other, workflow_id, from)).problem),
    );
    const missing = (await fork(agent, newRunId(), from)).problem;
    expect(missing).toMatchObject({ status: 404, code: 'run_not_found' });
    for (const problem of foreign) expect({ ...problem, instance: '' }).toEqual({ ...missing, instance: '' });
  });

  test('without a kept input, the setting of the environment is named', async () => {
    const agent = await testAgent(loop, { n: 0 });
    await setting(agent, 'test', { keep_values: 'off' });
    const { workflow_id } = await run(agent);
    const problem = await refused(agent, workflow_id, from);
    expect(problem).toMatchObject({ status: 404, code: 'run_input_not_kept' });
    expect(problem?.detail).toContain('`keep_values` of the environment test');
  });

  test('without kept values, the execution and the setting are named', async () => {
    const agent = await testAgent(ordering, { draft: '' });
    await setting(agent, 'test', { keep_values: 'off' });
    const script = newModelScript();
    const started = run(agent, script.prompt);
    await script.answer('A red shirt.');
    const { workflow_id } = await started;
    await resumeRun(agent, workflow_id, { answer: 'M' });
    await idle();
    const problem = await refused(agent, workflow_id, { from: 'price' });
    expect(problem).toMatchObject({ status: 404, code: 'run_values_not_kept' });
    expect(problem?.detail).toContain('write.1');
    expect(problem?.detail).toContain('`keep_values` of the environment test');
  });

  test('a flow without a build in the environment', async () => {
    const agent = await testAgent(loop, { n: 0 });
    const { workflow_id } = await run(agent);
    const problem = await refused(agent, workflow_id, { ...from, environment: 'live' });
    expect(problem).toMatchObject({ status: 404, code: 'trigger_not_found' });
  });

  test('an event that became a dead letter has no run', async () => {
    const agent = await testAgent(loop, { n: 0 });
    const message = webhookMessage({ ...agent, flowid: unique('flow') });
    await deliver(JSON.stringify(message));
    await idle();
    expect(await refused(agent, message.triggerId, from)).toMatchObject({ code: 'event_not_run' });
  });
});

describe('409', () => {
  const notForkable = (detail: string) => ({
    status: 409,
    code: 'run_not_forkable',
    detail: expect.stringContaining(detail),
  });

  test('a build whose nodes before the place differ does not continue the run', async () => {
    const { agent, workflow_id } = await ordered();
    const { write = {}, ...others } = priced;
    const refuse = async (nodes: Nodes, state: JsonObject = { draft: '' }) => {
      const { a2aregistryid } = await newBuild(agent, nodes, state);
      return await refused(agent, workflow_id, { from: 'price', a2aregistryid });
    };
    const other = { ...write, prompt: 'Write: {{ input.message }}' };
    expect(await refuse({ write: other, ...others })).toMatchObject(notForkable('node "write" is another'));
    expect(await refuse(priced, { draft: 'none' })).toMatchObject(notForkable('`state` is another'));
    expect(await refuse(loop, { n: 0 })).toMatchObject(notForkable('has no node "price"'));
  });

  test('the flow that the run has executed must still be there to be compared', async () => {
    const { agent, workflow_id } = await ordered();
    await newBuild(agent, priced, { draft: '' });
    await call('deleteRegistryRow', { key: agent.key, params: { a2aregistryid: agent.a2aregistryid } });
    const problem = await refused(agent, workflow_id, { from: 'price' });
    expect(problem).toMatchObject(notForkable('its build was deleted'));
  });

  test('what was kept without a secret is given by the request', async () => {
    const agent = await testAgent({
      sign: { type: 'transform', output: { user: 'ann', password: 'hunter2' }, next: 'done' },
      done: { type: 'end', output: { given: '{{ nodes.sign.password }}' } },
    });
    const { workflow_id } = await run(agent);
    const problem = await refused(agent, workflow_id, { from: 'done' });
    expect(problem).toMatchObject(notForkable('Give it as `outputs.sign`'));
    const outputs = { sign: { user: 'ann', password: 'another' } };
    const { response } = await forked(agent, workflow_id, { from: 'done', outputs });
    expect(response).toEqual({ given: 'another' });
  });

  test('a fork names the run that has executed what it has not', async () => {
    const { agent, workflow_id } = await ordered();
    await newBuild(agent, priced, { draft: '' });
    const first = await forked(agent, workflow_id, { from: 'price' });
    const problem = await refused(agent, first.workflow_id, { from: 'size' });
    expect(problem).toMatchObject(notForkable(`the output of size.1 of ${workflow_id}`));
    const params = { workflow_id: first.workflow_id };
    expect((await call('getRunTest', { key: agent.key, params })).problem).toMatchObject({
      code: 'run_not_testable',
      detail: expect.stringContaining(workflow_id),
    });
  });

  test('the environment pins a build that is gone', async () => {
    const agent = await testAgent(loop, { n: 0 });
    const { workflow_id } = await run(agent);
    const { a2aregistryid } = await newBuild(agent, loop, { n: 0 });
    await setting(agent, 'uat', { pins: { [agent.flowid]: a2aregistryid } });
    await call('deleteRegistryRow', { key: agent.key, params: { a2aregistryid } });
    const problem = await refused(agent, workflow_id, { from: 'done', environment: 'uat' });
    expect(problem).toMatchObject({ code: 'pinned_build_gone' });
  });
});
