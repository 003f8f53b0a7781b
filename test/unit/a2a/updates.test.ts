import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createUpdates, follow } from '#lib/a2a/updates.ts';
import { artifactsOf, type ContentPart } from '#lib/flow/engine/artifacts.ts';
import { createEventBuffer } from '#lib/run/recorder.ts';
import { repliesOf } from '#lib/run/state.ts';
import type { StoredEvent } from '#lib/run/stored-run.ts';
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
  interface Step {
    readonly key: string;
    readonly text: string;
    readonly isNew: boolean;
    readonly isWritten: boolean;
  }
  /** The events in which pieces of texts are written, and the texts that they make. */
  function written(steps: readonly Step[]) {
    const pending = createEventBuffer();
    const texts = new Map<string, string>();
    const events: StoredEvent[] = [];
    for (const [n, { key, text, isNew, isWritten }] of steps.entries()) {
      const before = isNew ? undefined : texts.get(key);
      texts.set(key, `${before ?? ''}${text}`);
      pending.text({ node_id: 'a', key, text, chunk: { append: before !== undefined, last_chunk: false } });
      if (isWritten || n + 1 === steps.length)
        events.push({ ...event(events.length + 1), ...pending.drain() });
    }
    return { events, texts };
  }
  const textIn = (parts: readonly ContentPart[]) =>
    parts.map((part) => ('text' in part ? part.text : '')).join('');

  test('tell once what a run has said again after a crash, also to who has seen it in the task', () => {
    const updates = createUpdates(run(), repliesOf(saying(1, 'a.1', {})));
    expect(updates(saying(2, 'a.1', {}))).toEqual([]);
    expect(updates(saying(2, 'a.1', { text: 'Now something else' }))).toHaveLength(1);
    expect(updates(saying(3, 'b.1', {}))).toHaveLength(1);
    expect(updates(saying(4, 'b.1', {}))).toEqual([]);
  });

  test('put together are the texts that models have written so far, wherever a client comes in and whatever was begun anew', () => {
    const key = fc.constantFrom('a.1', 'each.1.0.b.1');
    const step = fc.record({ key, text: fc.string(), isNew: fc.boolean(), isWritten: fc.boolean() });
    const property = fc.property(fc.array(step, { maxLength: 30 }), fc.nat(), (steps, place) => {
      const { events, texts } = written(steps);
      const seen = place % (events.length + 1);
      const known = events.slice(0, seen).flatMap(repliesOf);
      const told = new Map(artifactsOf(known).map(({ artifact_id, parts }) => [artifact_id, textIn(parts)]));
      for (const { payload } of events.slice(seen).flatMap(createUpdates(run(), known))) {
        const { artifact, append } = payload?.$case === 'artifactUpdate' ? payload.value : {};
        const id = artifact?.artifactId ?? '';
        told.set(id, `${append ? told.get(id) : ''}${artifact?.parts[0]?.content?.value}`);
      }
      expect(told).toEqual(texts);
    });
    fc.assert(property);
  });

  test('add to an artifact only where the client has its beginning', () => {
    const appended = (updates: ReturnType<typeof createUpdates>, key: string) =>
      updates(saying(2, key, more)).map(({ payload }) => Object(payload?.value).append);
    const fresh = createUpdates(run());
    expect([appended(fresh, 'a.1'), appended(fresh, 'a.2')]).toEqual([[false], [true]]);
    expect(appended(createUpdates(run(), [{ id: 'a.1', text: 'a', ...more }]), 'a.2')).toEqual([true]);
  });
});
