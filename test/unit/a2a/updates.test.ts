import { describe, expect, test } from 'vitest';
import { createUpdates, follow } from '#lib/a2a/updates.ts';
import { repliesOf } from '#lib/run/state.ts';
import type { StoredEvent } from '#lib/run/stored.ts';
import { run } from '#test/support/stored-run.ts';

const event = (generation: number): StoredEvent => ({
  generation,
  at: '2026-11-21T09:00:00.000Z',
  status: 'working',
});

type Tell = (event: StoredEvent) => void;

async function generations(events: AsyncIterable<StoredEvent>): Promise<number[]> {
  const seen: number[] = [];
  for await (const { generation } of events) seen.push(generation);
  return seen;
}

describe('following a run', () => {
  test('gives every event in order, those told before anybody listened included', async () => {
    const end = Promise.withResolvers<void>();
    const events = follow(async (tell: Tell) => {
      tell(event(1));
      tell(event(2));
      await end.promise;
      tell(event(3));
    });
    const reading = generations(events);
    end.resolve();
    expect(await reading).toEqual([1, 2, 3]);
  });

  test('starts the work although nobody listens', () => {
    let isStarted = false;
    follow(async () => {
      isStarted = true;
    });
    expect(isStarted).toBe(true);
  });

  test('ends with the work, also when it told nothing', async () => {
    expect(await generations(follow(async () => undefined))).toEqual([]);
  });

  test('does not let go of a listener who leaves before the work is over', async () => {
    const end = Promise.withResolvers<void>();
    const seen: string[] = [];
    const leaving = (async () => {
      for await (const _ of follow(async (tell: Tell) => {
        tell(event(1));
        await end.promise;
        seen.push('worked');
      }))
        break;
      seen.push('left');
    })();
    end.resolve();
    await leaving;
    expect(seen).toEqual(['worked', 'left']);
  });

  test('fails as the work fails, after what it had told', async () => {
    const events = follow(async (tell: Tell) => {
      tell(event(1));
      throw new Error('broken');
    });
    expect(await events.next()).toMatchObject({ value: { generation: 1 } });
    await expect(events.next()).rejects.toThrow('broken');
  });
});

describe('the updates of a run', () => {
  const saying = (generation: number, key: string, some: object): StoredEvent => ({
    ...event(generation),
    replies: JSON.stringify([{ key, text: key, ...some }]),
  });
  const more = { artifact: { artifact_id: 'x', append: true } };

  test('tell once what a run has said again after a crash, also to who has seen it in the task', () => {
    const updates = createUpdates(run(), repliesOf(saying(1, 'a.1', {})));
    expect(updates(saying(2, 'a.1', {}))).toEqual([]);
    expect(updates(saying(2, 'a.1', { text: 'Now something else' }))).toHaveLength(1);
    expect(updates(saying(3, 'b.1', {}))).toHaveLength(1);
    expect(updates(saying(4, 'b.1', {}))).toEqual([]);
  });

  test('add to an artifact only where the client has its beginning', () => {
    const appended = (updates: ReturnType<typeof createUpdates>, key: string) =>
      updates(saying(2, key, more)).map(({ payload }) => Object(payload?.value).append);
    const fresh = createUpdates(run());
    expect([appended(fresh, 'a.1'), appended(fresh, 'a.2')]).toEqual([[false], [true]]);
    expect(appended(createUpdates(run(), [{ id: 'a.1', text: 'a', ...more }]), 'a.2')).toEqual([true]);
  });
});
