import { describe, expect, test } from 'vitest';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { liveAgent } from '#test/support/flows.ts';
import { newTrigger, yearly } from '#test/support/triggers.ts';

const nextRuns = async (key: string, trigger_id: string, query = {}) =>
  await call('nextRuns', { key, params: { trigger_id }, query });

describe('200', () => {
  test('five times by default, in UTC', async () => {
    const agent = await liveAgent();
    const { trigger_id } = await newTrigger(agent, { kind: 'schedule', schedule: yearly });
    const { items } = (await nextRuns(agent.key, trigger_id)).body;
    expect(items).toHaveLength(5);
    for (const time of items) expect(time).toMatch(/-01-01T05:00:00\.000Z$/);
    expect((await nextRuns(agent.key, trigger_id, { count: '2' })).body.items).toEqual(items.slice(0, 2));
  });

  test('a rate counts from the time when it was set', async () => {
    const agent = await liveAgent();
    const made = await newTrigger(agent, { kind: 'schedule', schedule: { rate: '3 days' } });
    const { items } = (await nextRuns(agent.key, made.trigger_id, { count: '1' })).body;
    expect(Date.parse(items[0] ?? '') - Date.parse(made.created_at)).toBe(3 * 86_400_000);
  });

  test('a single time has one run', async () => {
    const agent = await liveAgent();
    const at = '2099-03-01T09:00:00+01:00';
    const { trigger_id } = await newTrigger(agent, { kind: 'schedule', schedule: { at } });
    expect((await nextRuns(agent.key, trigger_id)).body.items).toEqual(['2099-03-01T08:00:00.000Z']);
  });

  test('a disabled trigger has none', async () => {
    const agent = await liveAgent();
    const { trigger_id } = await newTrigger(agent, { kind: 'schedule', schedule: yearly, enabled: false });
    expect((await nextRuns(agent.key, trigger_id)).body.items).toEqual([]);
  });
});

describe('400', () => {
  test.each(['0', '51', 'many'])('a count of %s', async (count) => {
    const { key } = await newCaller();
    const { problem } = await nextRuns(key, unique('trg'), { count });
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/query/count']);
  });
});

describe('404', () => {
  test('a trigger of another organisation', async () => {
    const { trigger_id } = await newTrigger(await liveAgent(), { kind: 'schedule', schedule: yearly });
    expect((await nextRuns((await newCaller()).key, trigger_id)).problem.code).toBe('trigger_not_found');
  });
});

describe('409', () => {
  test('a trigger without a schedule', async () => {
    const agent = await liveAgent();
    const { trigger_id } = await newTrigger(agent);
    expect((await nextRuns(agent.key, trigger_id)).problem.code).toBe('trigger_kind_mismatch');
  });
});
