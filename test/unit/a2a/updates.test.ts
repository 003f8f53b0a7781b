import { describe, expect, test } from 'vitest';
import { follow } from '#lib/a2a/updates.ts';
import type { StoredEvent } from '#lib/run/stored.ts';

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
