// What the playground shows of a task, from the events that its client receives.
import { describe, expect, test } from 'vitest';
import {
  type Conversation,
  listShown,
  nothingSaid,
  partsOf,
  withResult,
  withSent,
} from '#lib/console/playground/conversation.ts';
import type { StreamResult } from '#lib/console/playground/wire.ts';

const ids = { taskId: 'task', contextId: 'context' };
const question = { messageId: 'q-1', role: 'ROLE_AGENT', parts: [{ text: 'Refund it?' }] } as const;
const sent = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'Hello' }] } as const;

const chunk = (text: string, append: boolean, artifactId = 'answer'): StreamResult => ({
  artifactUpdate: { ...ids, artifact: { artifactId, parts: [{ text }] }, append },
});
const status = (state: string): StreamResult => ({ statusUpdate: { ...ids, status: { state } } });

const told = (...results: readonly StreamResult[]): Conversation =>
  results.reduce(withResult, withSent(nothingSaid, sent));
const read = (conversation: Conversation) =>
  listShown(conversation.entries).map((entry) => partsOf(entry).map(({ text }) => text));

describe('artifacts', () => {
  test('chunks that append are one text, and one that does not append replaces it', () => {
    expect(read(told(chunk('It was ', false), chunk('shipped.', true)))).toEqual([
      ['Hello'],
      ['It was shipped.'],
    ]);
    expect(read(told(chunk('It was ', false), chunk('Sorry.', false)))).toEqual([['Hello'], ['Sorry.']]);
  });

  test('a response that repeats what was streamed is not shown again, another one is', () => {
    expect(read(told(chunk('Done.', false), chunk('Done.', false, 'response')))).toHaveLength(2);
    expect(read(told(chunk('Done.', false), chunk('Paid.', false, 'response')))).toHaveLength(3);
  });
});

test('a task that is read again changes nothing that was received', () => {
  const before = told(status('TASK_STATE_WORKING'), chunk('It was shipped.', false));
  const task = {
    id: 'task',
    contextId: 'context',
    status: { state: 'TASK_STATE_WORKING' },
    history: [sent],
    artifacts: [{ artifactId: 'answer', parts: [{ text: 'It was ' }, { text: 'shipped.' }] }],
  };
  const again = withResult(before, { task });
  expect(read(again)).toEqual(read(before));
  expect(read(withResult(nothingSaid, { task }))).toEqual(read(before));
});

test('a question keeps its place once it is answered', () => {
  const asked = told({
    statusUpdate: { ...ids, status: { state: 'TASK_STATE_INPUT_REQUIRED', message: question } },
  });
  const answer = { messageId: 'm-2', role: 'ROLE_USER', parts: [{ text: 'Yes' }], taskId: 'task' } as const;
  const answered = withResult(withSent(asked, answer), {
    task: {
      id: 'task',
      contextId: 'context',
      status: { state: 'TASK_STATE_COMPLETED' },
      history: [sent, question, answer],
    },
  });
  expect(read(answered)).toEqual([['Hello'], ['Refund it?'], ['Yes']]);
});
