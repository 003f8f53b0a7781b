import { Message, Task } from '@a2a-js/sdk';
import { describe, expect, test } from 'vitest';
import { toResponseArtifact, toTask } from '#lib/a2a/task.ts';
import type { JsonObject } from '#lib/json/json.ts';
import type { RunView } from '#lib/run/state.ts';
import type { StoredEvent } from '#lib/run/stored-run.ts';
import { run } from '#test/support/stored-run.ts';

interface EventContent {
  readonly status?: StoredEvent['status'];
  readonly replies?: object[];
  readonly requests?: object[];
  readonly answer?: object;
  readonly message?: object;
}

const event = (generation: number, { status = 'working', ...content }: EventContent): StoredEvent => ({
  generation,
  at: `2026-11-21T09:00:0${generation}.000Z`,
  status,
  ...Object.fromEntries(Object.entries(content).map(([name, value]) => [name, JSON.stringify(value)])),
});

const view = (some: Partial<RunView> = {}): RunView => ({
  run: run({ run_id: 'task-1', context_id: 'context-1' }),
  status: 'completed',
  events: [
    event(1, { replies: [{ node_id: 'a', text: 'One.' }] }),
    event(2, { replies: [{ node_id: 'b', data: { two: 2 } }] }),
  ],
  replies: [],
  response: { answer: 42 },
  as: undefined,
  needs: undefined,
  error: undefined,
  requests: [],
  hasAsked: false,
  usage: [],
  statusTimestamp: '2026-11-21T09:00:00.000Z',
  ...some,
});
const incoming = Message.fromJSON({ messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'Hello' }] });

describe('a task', () => {
  test.each([
    [undefined, ['m-1', 'task-1-reply-1-0', 'task-1-reply-2-0']],
    [0, []],
    [1, ['task-1-reply-2-0']],
    [2, ['task-1-reply-1-0', 'task-1-reply-2-0']],
    [99, ['m-1', 'task-1-reply-1-0', 'task-1-reply-2-0']],
  ])('contains, for a history length of %s, the most recent messages', (length, ids) => {
    expect(
      toTask(view(), incoming, { historyLength: length }).history.map(({ messageId }) => messageId),
    ).toEqual(ids);
  });

  test.each([
    ['submitted', 'TASK_STATE_SUBMITTED'],
    ['working', 'TASK_STATE_WORKING'],
    ['completed', 'TASK_STATE_COMPLETED'],
    ['failed', 'TASK_STATE_FAILED'],
    ['canceled', 'TASK_STATE_CANCELED'],
  ] as const)(
    'of a run that is %s is %s on the wire, and has artifacts only if the run is completed',
    (status, state) => {
      const wire = Task.toJSON(toTask(view({ status }), incoming));
      expect(wire).toMatchObject({
        id: 'task-1',
        contextId: 'context-1',
        status: { state, timestamp: '2026-11-21T09:00:00.000Z' },
      });
      expect('artifacts' in Object(wire)).toBe(status === 'completed');
    },
  );

  test('has the error of the run in the message of its status', () => {
    const { status } = toTask(view({ status: 'failed', error: 'No stock.' }), undefined);
    expect(status?.message?.parts.map(({ content }) => content)).toEqual([
      { $case: 'text', value: 'No stock.' },
    ]);
  });
});

describe('the exchange of a task', () => {
  const question = { id: 'q.1', node_id: 'q', purpose: 'ask', prompt: 'Where to?' };
  const sent = {
    messageId: 'm-2',
    role: 'ROLE_USER',
    parts: [{ text: 'Rome' }, { url: 'https://a.example/b' }],
  };
  const events = [
    event(1, { replies: [{ node_id: 'a', text: 'One.' }] }),
    event(2, { status: 'input_required', requests: [question] }),
    event(3, { answer: { id: 'q.1' }, message: sent }),
    event(4, { replies: [{ node_id: 'b', text: 'Two.' }] }),
  ];
  const upTo = (count: number, some: Partial<RunView> = {}) =>
    toTask(view({ status: 'working', events: events.slice(0, count), ...some }), incoming);
  const ids = (messages: readonly Message[]) => messages.map(({ messageId }) => messageId);
  const asked = 'task-1-input_required-2026-11-21T09:00:02.000Z';

  test('has a message of the agent in the status while it is the latest, and in the history after that', () => {
    const open = {
      status: 'input_required',
      statusTimestamp: events[1]?.at ?? '',
      requests: [question],
    } as const;
    expect([upTo(1).status?.message?.messageId, ids(upTo(1).history)]).toEqual(['task-1-reply-1-0', ['m-1']]);
    const asking = upTo(2, open as unknown as Partial<RunView>);
    expect(asking.status?.message?.messageId).toBe(asked);
    expect(ids(asking.history)).toEqual(['m-1', 'task-1-reply-1-0']);
    expect(upTo(3).status?.message).toBeUndefined();
    expect(ids(upTo(3).history)).toEqual(['m-1', 'task-1-reply-1-0', asked, 'm-2']);
    expect(upTo(4).status?.message?.messageId).toBe('task-1-reply-4-0');
    const whole = ['m-1', 'task-1-reply-1-0', asked, 'm-2', 'task-1-reply-4-0'];
    expect(ids(upTo(4, { status: 'completed' }).history)).toEqual(whole);
  });

  test('has the question as it was in the status, and the answer as it was sent', () => {
    const [, , agentMessage, answer] = upTo(4).history.map((each) => Message.toJSON(each));
    expect(agentMessage).toMatchObject({
      role: 'ROLE_AGENT',
      parts: [{ text: 'Where to?' }, { data: { input_requests: [question] } }],
    });
    expect(answer).toEqual({ ...sent, taskId: 'task-1', contextId: 'context-1' });
  });

  test('has an answer over REST as a message of the client', () => {
    const answered = [...events.slice(0, 2), event(3, { answer: { id: 'q.1', value: 'Rome' } })];
    expect(Message.toJSON(upTo(0, { events: answered }).history.at(-1) ?? incoming)).toMatchObject({
      messageId: 'task-1-answer-3',
      role: 'ROLE_USER',
      parts: [{ text: 'Rome' }],
    });
  });

  test('has a message once that a run repeats after a crash', () => {
    const reply = { node_id: 'a', text: 'One.', key: 'a.1' };
    const repeated = [event(1, { replies: [reply] }), event(2, { replies: [reply] })];
    expect(upTo(0, { events: repeated, status: 'completed' }).history).toHaveLength(2);
  });
});

describe('the artifact of a response', () => {
  const partsOf = (response: JsonObject, modes: readonly string[] = []) =>
    toResponseArtifact({ response, as: undefined }, modes)?.parts.map(({ content }) => content?.value);

  test.each<[JsonObject, unknown]>([
    [{ only: 'yes' }, 'yes'],
    [{ answer: '' }, ''],
    [{ only: 7 }, { only: 7 }],
    [{ only: null }, { only: null }],
    [
      { answer: 'yes', more: 1 },
      { answer: 'yes', more: 1 },
    ],
    [
      { a: 'x', b: 'y' },
      { a: 'x', b: 'y' },
    ],
  ])('has %j once, as %j', (response, value) => {
    expect(partsOf(response)).toEqual([value]);
  });

  test.each<[JsonObject, string[], unknown]>([
    [{ only: 'yes' }, ['application/json'], { only: 'yes' }],
    [{ only: 'yes' }, ['application/json', 'text/*'], 'yes'],
    [{ only: 'yes' }, ['image/png'], 'yes'],
    [{ only: 7 }, ['TEXT/plain; charset=utf-8'], '{"only":7}'],
    [{ only: 7 }, ['*/*'], { only: 7 }],
    [{ only: 7 }, ['image/png'], { only: 7 }],
    [{ answer: 'yes', more: 1 }, ['text/plain'], 'yes'],
    [{ answer: 7, text: 'seven' }, ['text/plain'], 'seven'],
    [{ answer: 'yes', more: 1 }, ['text/plain', 'application/json'], { answer: 'yes', more: 1 }],
  ])('has %j in a form of %j: %j', (response, modes, value) => {
    expect(partsOf(response, modes)).toEqual([value]);
  });

  test('does not exist for an empty response', () => {
    expect(toResponseArtifact({ response: {}, as: undefined }, [])).toBeUndefined();
    expect(toTask(view({ response: {} }), undefined).artifacts).toEqual([]);
  });

  test('is after those of the flow, which keep their order, and replaces one with its id', () => {
    const artifact = (artifact_id: string) => ({
      node_id: 'a',
      id: artifact_id,
      text: 'x',
      artifact: { artifact_id },
    });
    const replies = ['b', 'response', 'a'].map(artifact);
    const ids = (response: JsonObject) =>
      toTask(view({ replies, response }), undefined).artifacts.map(({ artifactId }) => artifactId);
    expect(ids({ answer: 'yes' })).toEqual(['b', 'a', 'response']);
    expect(ids({})).toEqual(['b', 'response', 'a']);
  });

  test('is the only one: a response that is a message, or a rejection, has none', () => {
    for (const as of ['message', 'rejected'] as const)
      expect(toTask(view({ as }), undefined)).toMatchObject({
        artifacts: [],
        status: { message: { parts: [{ content: { value: { answer: 42 } } }] } },
      });
    expect(toTask(view({ as: 'rejected', response: {} }), undefined).status?.message).toBeUndefined();
  });
});
