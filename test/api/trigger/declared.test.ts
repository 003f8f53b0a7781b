// Declared triggers on the routes that start runs: what they add, and when they refuse.
import { describe, expect, test } from 'vitest';
import type { Permission } from '#lib/access/permission.ts';
import { readRun } from '#lib/run/run-items.ts';
import { resolveTrigger } from '#lib/trigger/resolve-trigger.ts';
import { flow, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { takeDeadLetter } from '#test/support/runs.ts';
import { newTrigger, yearly } from '#test/support/triggers.ts';

/** Answers with all that it was given. */
const inputFlow = (build = 'live') =>
  flow({ nodes: { done: { type: 'end', output: { build, input: '{{ input }}' } } } });

const run = async (
  agent: TestAgent,
  trigger_id: string,
  body: object = { message: '' },
  environment = 'live',
) =>
  await call('triggerFlow', {
    key: agent.key,
    params: { workspace_id: agent.workspaceid, trigger_id, environment },
    body,
  });
const send = async (agent: TestAgent, flow_id: string) =>
  await call('acceptWebhook', { key: agent.key, params: { flow_id }, body: { event: 'ticket.closed' } });
const ran = async (agent: TestAgent, workflow_id: string) => {
  await idle();
  const params = { workspace_id: agent.workspaceid, workflow_id };
  return (await call('getRun', { key: agent.key, params })).body;
};

describe('200', () => {
  test('a trigger of kind api adds its defaults to the input of the caller, and the run names the trigger', async () => {
    const agent = await liveAgent({ flow: inputFlow() });
    const { trigger_id } = await newTrigger(agent, {
      message: 'Default',
      user_variables: { tone: 'kind', lang: 'en' },
    });
    const silent = (await run(agent, trigger_id)).body;
    expect(silent.response.input).toEqual({
      message: 'Default',
      user_variables: { tone: 'kind', lang: 'en' },
    });
    const said = { message: 'Mine', user_variables: { lang: 'de', order: 7 } };
    expect((await run(agent, trigger_id, said)).body.response.input).toEqual({
      message: 'Mine',
      user_variables: { tone: 'kind', lang: 'de', order: 7 },
    });
    expect(await readRun(silent.workflow_id)).toMatchObject({ trigger: 'api', trigger_id });
  });

  test('a change of the trigger takes effect with the next run', async () => {
    const agent = await liveAgent({ flow: inputFlow() });
    const { trigger_id } = await newTrigger(agent, { message: 'One' });
    const body = { flowid: agent.flowid, message: 'Two' };
    await call('updateTrigger', { key: agent.key, params: { trigger_id }, body });
    expect((await run(agent, trigger_id)).body.response.input).toMatchObject({ message: 'Two' });
  });

  test('after each change of the trigger or of its flow, the next run is of the build that is live', async () => {
    const agent = await liveAgent({ flow: inputFlow('first') });
    const other = await liveAgent({ flow: inputFlow('other') }, agent);
    const { trigger_id } = await newTrigger(agent);
    const ranBuild = async () => (await run(agent, trigger_id)).body.response.build;
    for (let n = 0; n < 2; n += 1) expect(await ranBuild()).toBe('first');
    const next = await newRow(agent, { flowid: agent.flowid, flow: inputFlow('second') });
    await promoted(agent, next);
    for (let n = 0; n < 2; n += 1) expect(await ranBuild()).toBe('second');
    const params = { trigger_id };
    await call('updateTrigger', { key: agent.key, params, body: { flowid: other.flowid } });
    for (let n = 0; n < 2; n += 1) expect(await ranBuild()).toBe('other');
    await call('updateTrigger', { key: agent.key, params, body: { flowid: agent.flowid, enabled: false } });
    expect((await run(agent, trigger_id)).status).toBe(409);
    await call('deleteTrigger', { key: agent.key, params });
    expect((await run(agent, trigger_id)).status).toBe(404);
  });

  test('a trigger of kind background resolves to its build and its defaults', async () => {
    const agent = await liveAgent();
    const { trigger_id } = await newTrigger(agent, { kind: 'background', message: 'Later' });
    const caller = { ...agent, workspaces: '*', scopes: new Set<Permission>() } as const;
    const address = { workspaceid: agent.workspaceid, environment: 'live', kind: 'background' } as const;
    const resolved = await resolveTrigger(caller, { ...address, triggerId: trigger_id });
    expect(resolved.trigger).toMatchObject({ trigger_id });
    expect(resolved.defaults).toEqual({ message: 'Later', user_variables: {} });
    expect(resolved.row.a2aregistryid).toBe(agent.a2aregistryid);
    const own = await resolveTrigger(caller, { ...address, triggerId: agent.flowid });
    expect(own).toMatchObject({
      trigger: undefined,
      settings: { env: {}, keepValues: 'off' },
      environment: 'live',
    });
  });
});

describe('202', () => {
  test('a trigger with the id of a deleted one has its own events, also under former names', async () => {
    const agent = await liveAgent({ flow: inputFlow('former') });
    const other = await liveAgent({ flow: inputFlow('new') }, agent);
    const { trigger_id } = await newTrigger(agent, { kind: 'webhook' });
    const named = async (key: string) => {
      const headers = { 'idempotency-key': 'order-7' };
      const params = { flow_id: trigger_id };
      return (await call('acceptWebhook', { key, params, headers, body: { event: 'order' } })).body.triggerId;
    };
    const former = await named(agent.key);
    await ran(agent, former);
    await call('deleteTrigger', { key: agent.key, params: { trigger_id } });
    await newTrigger(other, { trigger_id, kind: 'webhook' });
    // No process remembers the destination of the events of a key that has sent nothing yet.
    const colleague = await newCaller({ orgid: agent.orgid });
    const id = await named(colleague.key);
    expect(id).not.toBe(former);
    expect((await ran(agent, id)).response.build).toBe('new');
  });

  test('a trigger of kind webhook accepts events at its own URL, and its run receives event and defaults', async () => {
    const agent = await liveAgent({ flow: inputFlow() });
    const { trigger_id } = await newTrigger(agent, {
      kind: 'webhook',
      message: 'Hi',
      user_variables: { a: 1 },
    });
    const { triggerId } = (await send(agent, trigger_id)).body;
    expect((await ran(agent, triggerId)).response.input).toEqual({
      message: 'Hi',
      user_variables: { a: 1 },
      event: { event: 'ticket.closed' },
    });
    expect(await readRun(triggerId)).toMatchObject({ trigger: 'webhook', trigger_id });
  });

  test('it runs in the environment that it names', async () => {
    const agent = await liveAgent();
    await newRow(agent, { flowid: agent.flowid, flow: inputFlow('uat') });
    const { trigger_id } = await newTrigger(agent, { kind: 'webhook', environment: 'uat' });
    const { triggerId } = (await send(agent, trigger_id)).body;
    expect((await ran(agent, triggerId)).response.build).toBe('uat');
    expect(await readRun(triggerId)).toMatchObject({ environment: 'uat' });
  });

  test('an accepted event whose environment has lost its build becomes a dead letter with the reason', async () => {
    const agent = await liveAgent();
    const { trigger_id } = await newTrigger(agent, { kind: 'webhook', environment: 'dev' });
    const { triggerId } = (await send(agent, trigger_id)).body;
    await idle();
    expect((await takeDeadLetter(triggerId))?.reason).toMatch(/has no test build/);
  });
});

describe('404', () => {
  test('a missing trigger and one of another organisation or workspace give the same error', async () => {
    const agent = await liveAgent();
    const api = await newTrigger(agent);
    const webhook = await newTrigger(agent, { kind: 'webhook' });
    const stranger = { ...agent, key: (await newCaller()).key };
    const elsewhere = { ...agent, workspaceid: unique('ws') };
    for (const [who, id] of [
      [stranger, api.trigger_id],
      [elsewhere, api.trigger_id],
      [agent, unique('trg')],
    ] as const)
      expect((await run(who, id)).problem).toMatchObject({ status: 404, code: 'trigger_not_found' });
    const { key } = await newCaller({ orgid: agent.orgid, workspaces: [unique('ws')] });
    for (const who of [stranger, { ...agent, key }])
      expect((await send(who, webhook.trigger_id)).problem).toMatchObject({
        status: 404,
        code: 'trigger_not_found',
      });
  });
});

describe('409', () => {
  test('a disabled trigger starts nothing', async () => {
    const agent = await liveAgent();
    const [api, webhook] = [
      await newTrigger(agent, { enabled: false }),
      await newTrigger(agent, { kind: 'webhook', enabled: false }),
    ];
    expect((await run(agent, api.trigger_id)).problem.code).toBe('trigger_disabled');
    expect((await send(agent, webhook.trigger_id)).problem.code).toBe('trigger_disabled');
  });

  test('a trigger of another kind is refused, and the error names its kind', async () => {
    const agent = await liveAgent();
    const [api, webhook, timed] = [
      await newTrigger(agent),
      await newTrigger(agent, { kind: 'webhook' }),
      await newTrigger(agent, { kind: 'schedule', schedule: yearly }),
    ];
    const problems = [
      (await run(agent, webhook.trigger_id)).problem,
      (await run(agent, timed.trigger_id)).problem,
      (await send(agent, api.trigger_id)).problem,
    ];
    expect(problems.map(({ code }) => code)).toEqual(Array(3).fill('trigger_kind_mismatch'));
    expect(problems.map(({ detail }) => /kind (\w+);/.exec(detail ?? '')?.[1])).toEqual([
      'webhook',
      'schedule',
      'api',
    ]);
  });

  test('a trigger for one environment is refused in the others', async () => {
    const agent = await liveAgent();
    const { trigger_id } = await newTrigger(agent, { environment: 'live' });
    const refused = await run(agent, trigger_id, { message: '' }, 'uat');
    expect(refused.problem).toMatchObject({
      code: 'trigger_kind_mismatch',
      detail: expect.stringContaining('live'),
    });
    expect((await run(agent, trigger_id, { message: '' }, 'PROD')).status).toBe(200);
  });
});
