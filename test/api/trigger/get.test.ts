import { describe, expect, test } from 'vitest';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { liveAgent } from '#test/support/flows.ts';
import { newTrigger, readETag, yearly } from '#test/support/triggers.ts';

const get = async (key: string, trigger_id: string, headers = {}) =>
  await call('getTrigger', { key, params: { trigger_id }, headers });

describe('200', () => {
  test('returns the trigger as it was declared, with its ETag', async () => {
    const agent = await liveAgent();
    const made = await newTrigger(agent, { kind: 'schedule', schedule: yearly, user_variables: { a: null } });
    const { body, headers } = await get(agent.key, made.trigger_id);
    expect(body).toEqual(made);
    expect(headers.get('etag')).toMatch(/^"1-[a-z0-9]+"$/);
  });
});

describe('304', () => {
  test('a caller who has the current version gets no body', async () => {
    const agent = await liveAgent();
    const { trigger_id } = await newTrigger(agent);
    const etag = readETag(await get(agent.key, trigger_id));
    expect((await get(agent.key, trigger_id, { 'if-none-match': etag })).status).toBe(304);
    expect((await get(agent.key, trigger_id, { 'if-none-match': '"2"' })).status).toBe(200);
  });
});

describe('404', () => {
  test('a missing trigger and one of another organisation or workspace give the same error', async () => {
    const agent = await liveAgent();
    const { trigger_id } = await newTrigger(agent);
    const elsewhere = await newCaller({ orgid: agent.orgid, workspaces: [unique('ws')] });
    const missing = (await get(agent.key, unique('trg'))).problem;
    for (const { key } of [await newCaller(), elsewhere]) {
      const { problem } = await get(key, trigger_id);
      expect(problem).toEqual({ ...missing, instance: problem.instance, detail: problem.detail });
      expect(problem.code).toBe('trigger_not_found');
    }
  });
});
