import { describe, expect, test } from 'vitest';
import { newCallbackSecret } from '#test/support/callbacks.ts';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { liveAgent } from '#test/support/flows.ts';
import { declare, newTrigger, triggerBody, yearly } from '#test/support/triggers.ts';

const refusals = async (some: object) => {
  const agent = await liveAgent();
  const { status, problem } = await declare(agent, triggerBody(agent, some));
  expect(status).toBe(400);
  return problem.errors?.map(({ pointer, detail }) => `${pointer} ${detail}`);
};

describe('201', () => {
  test('returns the trigger, its Location and its ETag', async () => {
    const agent = await liveAgent();
    const body = triggerBody(agent, { message: 'Hello', user_variables: { a: [1] }, environment: 'PROD' });
    const answer = await declare(agent, body);
    expect(answer.status).toBe(201);
    expect(answer.headers.get('location')).toBe(`/api/v1/triggers/${body.trigger_id}`);
    expect(answer.headers.get('etag')).toMatch(/^"1-[a-z0-9]+"$/);
    expect(answer.body).toEqual({
      ...body,
      environment: 'live',
      enabled: true,
      workspaceid: agent.workspaceid,
      orgid: agent.orgid,
      version: 1,
      created_at: expect.any(String),
      updated_at: answer.body.created_at,
      created_by: agent.id,
      updated_by: agent.id,
    });
  });

  test('an id is generated unless one is given', async () => {
    const agent = await liveAgent();
    const { body } = await declare(agent, { kind: 'webhook', flowid: agent.flowid });
    expect(body.trigger_id).toMatch(/^trg_[0-9A-Z]{26}$/);
  });

  test('a schedule is returned with its defaults', async () => {
    const agent = await liveAgent();
    const made = await newTrigger(agent, { kind: 'schedule', schedule: { rate: '2 hours' } });
    expect(made.schedule).toEqual({ rate: '2 hours', timezone: 'UTC', missed: 'skip' });
  });

  test('another organisation may use the same id', async () => {
    const [one, other] = [await liveAgent(), await liveAgent()];
    const { trigger_id } = await newTrigger(one);
    expect((await newTrigger(other, { trigger_id })).orgid).toBe(other.orgid);
  });

  test('a repeated request with the same Idempotency-Key gets the same answer, and makes no second trigger', async () => {
    const agent = await liveAgent();
    const headers = { 'idempotency-key': unique('idem') };
    const body = { kind: 'schedule', flowid: agent.flowid, schedule: yearly, user_variables: { a: 1 } };
    const first = await declare(agent, body, headers);
    const second = await declare(agent, body, headers);
    expect([second.status, second.text]).toEqual([201, first.text]);
    const query = { workspaceid: agent.workspaceid };
    expect((await call('listTriggers', { key: agent.key, query })).body.items).toEqual([first.body]);
  });
});

describe('a callback', () => {
  const withCallback = { kind: 'webhook', callback_url: 'https://receiver.example/hook' };

  test('in a workspace without a secret causes a warning, when it is declared and when it is replaced', async () => {
    const agent = await liveAgent();
    const warning = {
      pointer: '/body/callback_url',
      code: 'callback_without_secret',
      detail: expect.stringContaining(agent.workspaceid),
    };
    const { body } = await declare(agent, triggerBody(agent, withCallback));
    expect(body.warnings).toEqual([warning]);
    const { flowid, callback_url } = body;
    const params = { trigger_id: body.trigger_id };
    const again = await call('updateTrigger', { key: agent.key, params, body: { flowid, callback_url } });
    expect(again.body.warnings).toEqual([warning]);
    expect((await call('getTrigger', { key: agent.key, params })).body).not.toHaveProperty('warnings');
  });

  test('causes no warning once there is a secret', async () => {
    const agent = await liveAgent();
    await newCallbackSecret(agent);
    expect((await declare(agent, triggerBody(agent, withCallback))).body).not.toHaveProperty('warnings');
  });
});

describe('400', () => {
  test.each<[object, string]>([
    [{ trigger_id: 'nightly' }, '/body/trigger_id'],
    [{ trigger_id: 'trg_' }, '/body/trigger_id'],
    [{ kind: 'a2a' }, '/body/kind'],
    [{ flowid: 'trg_x' }, '/body/flowid'],
    [{ environment: 'staging' }, '/body/environment'],
    [{ enabled: 'yes' }, '/body/enabled'],
    [{ callback_url: 'https://receiver.example/hook' }, '/body/callback_url'],
    [{ kind: 'webhook', callback_url: 'http://receiver.example/hook' }, '/body/callback_url'],
    [{ user_variables: [] }, '/body/user_variables'],
    [{ user_variables: { text: 'x'.repeat(200_000) } }, '/body/user_variables'],
    [{ kind: 'schedule', schedule: {} }, '/body/schedule'],
    [{ kind: 'schedule', schedule: { cron: '0 6 * * *', rate: '1 hour' } }, '/body/schedule'],
    [{ kind: 'schedule', schedule: { cron: '0 6 * *' } }, '/body/schedule/cron'],
    [{ kind: 'schedule', schedule: { cron: '0 6 * * * *' } }, '/body/schedule/cron'],
    [{ kind: 'schedule', schedule: { cron: '? 6 * * *' } }, '/body/schedule/cron'],
    [{ kind: 'schedule', schedule: { cron: '61 6 * * *' } }, '/body/schedule/cron'],
    [{ kind: 'schedule', schedule: { rate: '0 minutes' } }, '/body/schedule/rate'],
    [{ kind: 'schedule', schedule: { rate: '10 seconds' } }, '/body/schedule/rate'],
    [{ kind: 'schedule', schedule: { at: 'tomorrow' } }, '/body/schedule/at'],
    [{ kind: 'schedule', schedule: { ...yearly, timezone: 'Mars/Olympus' } }, '/body/schedule/timezone'],
    [{ kind: 'schedule', schedule: { ...yearly, missed: 'run_all' } }, '/body/schedule/missed'],
    [{ kind: 'schedule' }, '/body/schedule'],
    [{ kind: 'webhook', schedule: yearly }, '/body/schedule'],
    [{ kind: 'schedule', schedule: { cron: '0 0 30 2 *' } }, '/body/schedule'],
    [{ kind: 'schedule', schedule: { at: '2020-01-01T00:00:00Z' } }, '/body/schedule'],
  ])('a body with %j is refused with the pointer to the mistake', async (some, pointer) => {
    const found = await refusals(some);
    expect(found).toHaveLength(1);
    expect(found?.[0]).toMatch(new RegExp(`^${pointer} .{5,}`));
  });

  test('the flow must exist in the workspace', async () => {
    expect(await refusals({ flowid: unique('flow') })).toEqual([
      '/body/flowid must be a flow of the workspace',
    ]);
  });
});

describe('403', () => {
  test('a key for other workspaces, and one that may not create', async () => {
    const agent = await liveAgent();
    const elsewhere = await newCaller({ orgid: agent.orgid, workspaces: [unique('ws')] });
    const refused = await declare({ ...agent, key: elsewhere.key }, triggerBody(agent));
    expect(refused.problem.detail).toContain('workspace');
    const runner = await newCaller({ orgid: agent.orgid, scopes: ['assistants.flows:run'] });
    const forbidden = await declare({ ...agent, key: runner.key }, triggerBody(agent));
    expect(forbidden.problem.detail).toContain('assistants.flows:create');
  });

  test('for a schedule, a key that may declare triggers but not run flows', async () => {
    const agent = await liveAgent();
    const { key } = await newCaller({ orgid: agent.orgid, scopes: ['assistants.flows:create'] });
    const timed = triggerBody(agent, { kind: 'schedule', schedule: yearly });
    const { problem } = await declare({ ...agent, key }, timed);
    expect(problem.detail).toContain('assistants.flows:run');
    expect((await declare({ ...agent, key }, triggerBody(agent))).status).toBe(201);
  });
});

describe('409', () => {
  test('an id that the organisation already uses, also in another workspace', async () => {
    const agent = await liveAgent();
    const { trigger_id } = await newTrigger(agent);
    const elsewhere = await liveAgent({}, { ...agent, workspaceid: unique('ws') });
    for (const owner of [agent, elsewhere])
      expect((await declare(owner, triggerBody(owner, { trigger_id }))).problem).toMatchObject({
        status: 409,
        code: 'trigger_id_taken',
      });
  });
});

describe('422', () => {
  test('an Idempotency-Key that came with another body', async () => {
    const agent = await liveAgent();
    const headers = { 'idempotency-key': unique('idem') };
    await declare(agent, triggerBody(agent), headers);
    const { problem } = await declare(agent, triggerBody(agent), headers);
    expect(problem).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
  });
});
