import { describe, expect, test } from 'vitest';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { liveAgent } from '#test/support/flows.ts';
import { newTrigger, readETag } from '#test/support/triggers.ts';

const remove = async (key: string, trigger_id: string, headers = {}) =>
  await call('deleteTrigger', { key, params: { trigger_id }, headers });

describe('204', () => {
  test('the trigger is deleted, and its id can be used again', async () => {
    const agent = await liveAgent();
    const { trigger_id } = await newTrigger(agent);
    const etag = readETag(await call('getTrigger', { key: agent.key, params: { trigger_id } }));
    expect((await remove(agent.key, trigger_id, { 'if-match': etag })).status).toBe(204);
    expect((await call('getTrigger', { key: agent.key, params: { trigger_id } })).status).toBe(404);
    expect((await newTrigger(agent, { trigger_id })).version).toBe(1);
  });
});

describe('404', () => {
  test('a trigger that was already deleted, and one of another organisation', async () => {
    const agent = await liveAgent();
    const { trigger_id } = await newTrigger(agent);
    expect((await remove((await newCaller()).key, trigger_id)).problem.code).toBe('trigger_not_found');
    await remove(agent.key, trigger_id);
    expect((await remove(agent.key, trigger_id)).problem.code).toBe('trigger_not_found');
  });
});

describe('412', () => {
  test('a version other than the one in If-Match', async () => {
    const agent = await liveAgent();
    const { trigger_id } = await newTrigger(agent);
    const { problem } = await remove(agent.key, trigger_id, { 'if-match': '"2"' });
    expect(problem).toMatchObject({ status: 412, code: 'precondition_failed' });
  });
});
