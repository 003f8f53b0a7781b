import { TaskState, taskStateToJSON } from '@a2a-js/sdk';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createUpdates, streamEvents } from '#lib/a2a/updates.ts';
import { assembleArtifacts, type ContentPart } from '#lib/flow/engine/artifacts.ts';
import { createEventBuffer } from '#lib/run/event-buffer.ts';
import { readReplies } from '#lib/run/state.ts';
import type { RunStatus, StoredEvent } from '#lib/run/stored-run.ts';
import { run } from '#test/support/stored-run.ts';

const event = (generation: number): StoredEvent => ({
  generation,
  at: '2026-11-21T09:00:00.000Z',
  status: 'working',
});

type Emit = (event: StoredEvent) => void;

async function generations(events: AsyncIterable<StoredEvent>): Promise<number[]> {
  const seen: number[] = [];
  for await (const { generation } of events) seen.push(generation);
  return seen;
}

describe('the stream of the events of a run', () => {
  test('yields every event in order, including those emitted before the stream is read', async () => {
    const end = Promise.withResolvers<void>();
    const events = streamEvents(async (emit: Emit) => {
      emit(event(1));
      emit(event(2));
      await end.promise;
      emit(event(3));
    });
    const reading = generations(events);
    end.resolve();
    expect(await reading).toEqual([1, 2, 3]);
  });

  test('starts the work before the stream is read', () => {
    let isStarted = false;
    streamEvents(async () => {
      isStarted = true;
    });
    expect(isStarted).toBe(true);
  });

  test('ends with the work, even when the work emitted nothing', async () => {
    expect(await generations(streamEvents(async () => undefined))).toEqual([]);
  });

  test('keeps a consumer that stops early until the work has ended', async () => {
    const end = Promise.withResolvers<void>();
    const seen: string[] = [];
    const consuming = (async () => {
      for await (const _ of streamEvents(async (emit: Emit) => {
        emit(event(1));
        await end.promise;
        seen.push('worked');
      }))
        break;
      seen.push('left');
    })();
    end.resolve();
    await consuming;
    expect(seen).toEqual(['worked', 'left']);
  });

  test('fails with the error of the work, after the events before it', async () => {
    const events = streamEvents(async (emit: Emit) => {
      emit(event(1));
      throw new Error('broken');
    });
    expect(await events.next()).toMatchObject({ value: { generation: 1 } });
    await expect(events.next()).rejects.toThrow('broken');
  });
});

describe('the updates of a run', () => {
  const replying = (generation: number, key: string, some: object): StoredEvent => ({
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
  /** The events in which pieces of texts are written, and the complete texts. */
  function writeTexts(steps: readonly Step[]) {
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
  const joinTexts = (parts: readonly ContentPart[]) =>
    parts.map((part) => ('text' in part ? part.text : '')).join('');

  test('report once what a run repeats after a crash, also to a client that has received it with the task', () => {
    const updates = createUpdates(run(), readReplies(replying(1, 'a.1', {})));
    expect(updates(replying(2, 'a.1', {}))).toEqual([]);
    expect(updates(replying(2, 'a.1', { text: 'Now something else' }))).toHaveLength(1);
    expect(updates(replying(3, 'b.1', {}))).toHaveLength(1);
    expect(updates(replying(4, 'b.1', {}))).toEqual([]);
  });

  test('add up to the texts that models have written so far, wherever a client subscribes and whatever text was restarted', () => {
    const key = fc.constantFrom('a.1', 'each.1.0.b.1');
    const step = fc.record({ key, text: fc.string(), isNew: fc.boolean(), isWritten: fc.boolean() });
    const property = fc.property(fc.array(step, { maxLength: 30 }), fc.nat(), (steps, position) => {
      const { events, texts } = writeTexts(steps);
      const seen = position % (events.length + 1);
      const known = events.slice(0, seen).flatMap(readReplies);
      const received = new Map(
        assembleArtifacts(known).map(({ artifact_id, parts }) => [artifact_id, joinTexts(parts)]),
      );
      for (const { payload } of events.slice(seen).flatMap(createUpdates(run(), known))) {
        const { artifact, append } = payload?.$case === 'artifactUpdate' ? payload.value : {};
        const id = artifact?.artifactId ?? '';
        received.set(id, `${append ? received.get(id) : ''}${artifact?.parts[0]?.content?.value}`);
      }
      expect(received).toEqual(texts);
    });
    fc.assert(property);
  });

  test('say that a task works again once its question is answered, or what was missing is stored', () => {
    const shown = (status: RunStatus, events: readonly StoredEvent[]) =>
      events
        .flatMap(createUpdates(run({ status })))
        .flatMap(({ payload }) =>
          payload?.$case === 'statusUpdate'
            ? [taskStateToJSON(payload.value.status?.state ?? 0)]
            : [payload?.$case],
        );
    const paused = (generation: number, status: RunStatus) => ({ ...event(generation), status });
    expect(shown('submitted', [event(1), event(2)])).toEqual(['TASK_STATE_WORKING']);
    expect(shown('working', [event(1)])).toEqual([]);
    const exchange = [event(1), paused(2, 'input_required'), event(3), event(4), paused(5, 'auth_required')];
    expect(shown('auth_required', exchange)).toEqual([
      'TASK_STATE_WORKING',
      'TASK_STATE_INPUT_REQUIRED',
      'TASK_STATE_WORKING',
      'TASK_STATE_AUTH_REQUIRED',
    ]);
    const artifact = { artifact: { artifact_id: 'x' } };
    expect(shown('input_required', [replying(1, 'a.1', artifact)])).toEqual([
      'TASK_STATE_WORKING',
      'artifactUpdate',
    ]);
  });

  test('have the time at which the state changed, which output does not move', () => {
    const at = (generation: number, some: Partial<StoredEvent> = {}): StoredEvent => ({
      ...replying(generation, `a.${generation}`, {}),
      at: `2026-11-21T09:00:0${generation}.000Z`,
      ...some,
    });
    const started = { status: 'submitted', status_timestamp: '2026-11-21T09:00:00.000Z' } as const;
    const events = [at(1), at(2), at(3, { status: 'input_required' }), at(4), at(5, { status: 'completed' })];
    const updates = events.flatMap(createUpdates(run(started)));
    const states = updates.flatMap(({ payload }) =>
      payload?.$case === 'statusUpdate'
        ? [[payload.value.status?.state, payload.value.status?.timestamp]]
        : [],
    );
    const second = (n: number) => `2026-11-21T09:00:0${n}.000Z`;
    expect(states).toEqual([
      [TaskState.TASK_STATE_WORKING, second(1)],
      [TaskState.TASK_STATE_WORKING, second(1)],
      [TaskState.TASK_STATE_WORKING, second(1)],
      [TaskState.TASK_STATE_INPUT_REQUIRED, second(3)],
      [TaskState.TASK_STATE_WORKING, second(4)],
      [TaskState.TASK_STATE_WORKING, second(4)],
      [TaskState.TASK_STATE_COMPLETED, second(5)],
    ]);
  });

  test('append to an artifact only if the client has received its beginning', () => {
    const appended = (updates: ReturnType<typeof createUpdates>, key: string) =>
      updates(replying(2, key, more)).map(({ payload }) => Object(payload?.value).append);
    const fresh = createUpdates(run());
    expect([appended(fresh, 'a.1'), appended(fresh, 'a.2')]).toEqual([[false], [true]]);
    expect(appended(createUpdates(run(), [{ id: 'a.1', text: 'a', ...more }]), 'a.2')).toEqual([true]);
  });
});
