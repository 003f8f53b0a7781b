import { describe, expect, test } from 'vitest';
import { readAnswer } from '#lib/console/runs/answer-value.ts';
import { applyEvent, joinLogs, type LogEntry, nothingYet, readVisits } from '#lib/console/runs/run-events.ts';

const at = (second: number) => new Date(Date.UTC(2027, 0, 1, 0, 0, second)).toISOString();
const entry = (seq: number, event: string, some: Partial<LogEntry> = {}): LogEntry => ({
  seq,
  time: at(seq),
  level: 'info',
  event,
  message: `${event} ${seq}`,
  status: event === 'started' ? 'running' : event,
  node_id: 'look_up',
  ...some,
});
const first = { generation: 1, at: at(1), status: 'working', logs: [entry(1, 'started')] };
const second = {
  generation: 2,
  at: at(2),
  status: 'completed',
  logs: [entry(2, 'completed')],
  texts: [{ node_id: 'look_up', text: 'Hello' }],
};

describe('events of a run', () => {
  test('each event counts once, however often a resumed stream repeats it', () => {
    const once = [first, second].reduce(applyEvent, nothingYet);
    const again = [first, second, first, second, second].reduce(applyEvent, nothingYet);
    expect(again).toEqual(once);
    expect(once.status).toBe('completed');
    expect(once.texts.get('look_up')).toBe('Hello');
  });

  test('a run that a worker has taken is pending for callers', () => {
    expect(applyEvent(nothingYet, first).status).toBe('pending');
  });

  test('the text of a node is joined from its pieces', () => {
    const more = { ...second, generation: 3, texts: [{ node_id: 'look_up', text: ', world' }] };
    expect([first, second, more].reduce(applyEvent, nothingYet).texts.get('look_up')).toBe('Hello, world');
  });

  test('what was read and what was streamed are one log, in order', () => {
    const live = applyEvent(nothingYet, second);
    expect(joinLogs([entry(3, 'x'), entry(1, 'started')], live).map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });
});

describe('executions of nodes', () => {
  test('a node that has begun runs until its end is logged', () => {
    expect(readVisits([entry(1, 'started')])).toMatchObject([
      { node_id: 'look_up', status: 'running', visit: 1 },
    ]);
    const ended = readVisits([entry(1, 'started'), entry(3, 'failed', { status: 'failed' })]);
    expect(ended).toMatchObject([{ status: 'failed', duration_ms: 2_000 }]);
    // The entry has the time since the last wait.
    const waited = readVisits([entry(1, 'started'), entry(3, 'completed', { duration_ms: 7 })]);
    expect(waited).toMatchObject([{ duration_ms: 2_000 }]);
  });

  test('a loop comes by again; branches of one node are apart', () => {
    const logs = [
      entry(1, 'started'),
      entry(2, 'completed'),
      entry(3, 'started'),
      entry(4, 'started', { scope: 'each.1.0' }),
      entry(5, 'completed', { scope: 'each.1.0' }),
    ];
    expect(readVisits(logs).map(({ visit, scope, status }) => [visit, scope, status])).toEqual([
      [1, undefined, 'completed'],
      [2, undefined, 'running'],
      [1, 'each.1.0', 'completed'],
    ]);
  });
});

describe('an answer that was typed', () => {
  test.each([
    ['yes', true, 'yes'],
    ['{"a":1}', true, '{"a":1}'],
    ['{"a":1}', false, { a: 1 }],
    ['{a', false, undefined],
  ])('%s, as text: %s', (text, isText, value) => {
    expect(readAnswer(text, isText)).toEqual(value);
  });
});
