import { describe, expect, test } from 'vitest';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { newTrigger, readETag, yearly } from '#test/support/triggers.ts';

const update = async ({ key }: Pick<TestAgent, 'key'>, trigger_id: string, body: object, headers = {}) =>
  await call('updateTrigger', { key, params: { trigger_id }, body, headers });

describe('200', () => {
  test('replaces everything except id, kind, workspace and origin', async () => {
    const agent = await liveAgent();
    const made = await newTrigger(agent, { message: 'Hello', environment: 'uat', enabled: false });
    const other = await liveAgent({}, agent);
    const colleague = await newCaller({ orgid: agent.orgid });
    const { body, headers } = await update(colleague, made.trigger_id, { flowid: other.flowid });
    const { message: _, environment: __, ...kept } = made;
    expect(body).toEqual({
      ...kept,
      flowid: other.flowid,
      enabled: true,
      version: 2,
      updated_at: body.updated_at,
      updated_by: colleague.id,
    });
    expect(headers.get('etag')).toMatch(/^"2-/);
  });

  test('accepts the ETag of the version that was read', async () => {
    const agent = await liveAgent();
    const { trigger_id } = await newTrigger(agent);
    const read = await call('getTrigger', { key: agent.key, params: { trigger_id } });
    const ifMatch = { 'if-match': readETag(read) };
    const { body } = await update(agent, trigger_id, { flowid: agent.flowid }, ifMatch);
    expect(body.version).toBe(2);
  });

  test('applies each concurrent change to the result of the one before', async () => {
    const agent = await liveAgent();
    const { trigger_id } = await newTrigger(agent);
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((message) => update(agent, trigger_id, { flowid: agent.flowid, message })),
    );
    expect(answers.map(({ body }) => body.version).sort()).toEqual([2, 3, 4]);
  });
});

describe('400', () => {
  test('a schedule for another kind of trigger, or none for a schedule', async () => {
    const agent = await liveAgent();
    const plain = await newTrigger(agent);
    const timed = await newTrigger(agent, { kind: 'schedule', schedule: yearly });
    const pointers = async (id: string, some: object) =>
      (await update(agent, id, { flowid: agent.flowid, ...some })).problem.errors?.map(
        (each) => each.pointer,
      );
    expect(await pointers(plain.trigger_id, { schedule: yearly })).toEqual(['/body/schedule']);
    expect(await pointers(timed.trigger_id, {})).toEqual(['/body/schedule']);
    expect(await pointers(plain.trigger_id, { kind: 'webhook' })).toEqual(['/body/kind']);
    expect(await pointers(plain.trigger_id, { flowid: unique('flow') })).toEqual(['/body/flowid']);
  });
});

describe('404', () => {
  test('a trigger of another organisation', async () => {
    const agent = await liveAgent();
    const { trigger_id } = await newTrigger(agent);
    const { problem } = await update(await newCaller(), trigger_id, { flowid: agent.flowid });
    expect(problem).toMatchObject({ status: 404, code: 'trigger_not_found' });
  });
});

describe('412', () => {
  test('a version other than the one in If-Match', async () => {
    const agent = await liveAgent();
    const { trigger_id } = await newTrigger(agent);
    const { problem } = await update(agent, trigger_id, { flowid: agent.flowid }, { 'if-match': '"7"' });
    expect(problem).toMatchObject({ status: 412, code: 'precondition_failed' });
    expect(problem.detail).toContain('"1-');
  });

  test('a trigger that was deleted and declared again, although it has the same version', async () => {
    const agent = await liveAgent();
    const { trigger_id } = await newTrigger(agent);
    const params = { trigger_id };
    const before = readETag(await call('getTrigger', { key: agent.key, params }));
    await call('deleteTrigger', { key: agent.key, params });
    await newTrigger(agent, { trigger_id, message: 'Another.' });
    const headers = { 'if-none-match': before };
    expect((await call('getTrigger', { key: agent.key, params, headers })).body.message).toBe('Another.');
    const stale = { 'if-match': before };
    const { problem } = await update(agent, trigger_id, { flowid: agent.flowid }, stale);
    expect(problem.code).toBe('precondition_failed');
    const removal = await call('deleteTrigger', { key: agent.key, params, headers: stale });
    expect(removal.problem.code).toBe('precondition_failed');
  });
});
