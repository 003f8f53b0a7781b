// Patterns of `catch` and `retry` of which `checkFlow` warns, because no error will ever meet them, and those
// of which it says nothing.
import { describe, expect, test } from 'vitest';
import { http, plain, transform, warned, warnings } from './faulty-flows.ts';

const to = (...on: readonly string[]) => ({ on, next: 'b' });
const caught = (...entries: readonly object[]) => plain(transform({ catch: entries }));
const tried = (...on: readonly string[]) => plain(transform({ retry: { max_attempts: 2, delay_ms: 0, on } }));

const accepting = (accept: readonly unknown[], ...on: readonly string[]) => ({
  ...http({ accept, catch: [to(...on)], retry: { max_attempts: 2, delay_ms: 0, on: ['http.5xx'] } }),
  models: undefined,
});

const doubtful: readonly (readonly [string, object, readonly string[]])[] = [
  ['a catch of a limit', caught(to('limit.steps')), ['error_never_met /nodes/a/catch/0/on/0']],
  ['a catch of all limits', caught(to('timeout', 'limit.*')), ['error_never_met /nodes/a/catch/0/on/1']],
  ['a catch of the cancellation', caught(to('canceled')), ['error_never_met /nodes/a/catch/0/on/0']],
  ['a family that is none', caught(to('htp.404')), ['error_never_met /nodes/a/catch/0/on/0']],
  ['a family without its star', caught(to('http')), ['error_never_met /nodes/a/catch/0/on/0']],
  ['a code that its family has not', caught(to('model.quota')), ['error_never_met /nodes/a/catch/0/on/0']],
  [
    'a status that is no error',
    caught(to('http.200', 'http.2xx')),
    ['error_never_met /nodes/a/catch/0/on/0', 'error_never_met /nodes/a/catch/0/on/1'],
  ],
  ['a retry of what is no code', tried('http.5xx', 'time_out'), ['error_never_met /nodes/a/retry/on/1']],
  [
    'statuses that are accepted',
    accepting([404, '2xx', '5xx'], 'http.404', 'http.409', 'http.503'),
    [
      'error_never_met /nodes/a/retry/on/0',
      'error_never_met /nodes/a/catch/0/on/0',
      'error_never_met /nodes/a/catch/0/on/2',
    ],
  ],
  ['a retry of a limit', tried('limit.tokens'), ['error_never_met /nodes/a/retry/on/0']],
  [
    'an entry behind one that takes all',
    caught(to('*'), to('timeout')),
    ['error_never_met /nodes/a/catch/1/on/0'],
  ],
  [
    'an entry behind its family',
    caught(to('http.*'), to('http.404', 'timeout')),
    ['error_never_met /nodes/a/catch/1/on/0'],
  ],
  [
    'an entry behind its class',
    caught(to('http.4xx'), to('http.404')),
    ['error_never_met /nodes/a/catch/1/on/0'],
  ],
  [
    'an entry of the same code',
    caught(to('timeout'), to('timeout')),
    ['error_never_met /nodes/a/catch/1/on/0'],
  ],
];

const sure: readonly (readonly [string, object])[] = [
  [
    'errors that occur',
    caught(to('http.404', 'http.5xx', 'http.3xx'), to('http.*'), to('timeout', 'internal'), to('*')),
  ],
  ['errors of a called flow', caught(to('input.invalid'), to('output.*'), to('flow.limit'), to('fail'))],
  ['codes of nodes of the type fail', caught(to('fail.sold_out'), to('fail.*'))],
  ['statuses of which one is accepted', accepting(['2xx', 404], 'http.4xx', 'http.*')],
  ['a narrow pattern beside its family in one entry', caught(to('http.*', 'http.404'))],
];

describe('a flow is accepted with a warning', () => {
  test.each(doubtful)('for %s', (_what, flow, expected) => {
    expect(warned(flow)).toEqual(expected);
  });

  test('that says what was expected', () => {
    expect(warnings(caught(to('http'), to('limit.*')))).toEqual([
      {
        pointer: '/nodes/a/catch/0/on/0',
        code: 'error_never_met',
        detail: expect.stringContaining('"http.*"'),
      },
      {
        pointer: '/nodes/a/catch/1/on/0',
        code: 'error_never_met',
        detail: expect.stringContaining('ends the run'),
      },
    ]);
  });

  test('a hundred at most', () => {
    const entries = Array.from({ length: 300 }, (_, index) => to(`x.y${index}`));
    expect(warnings(caught(...entries))).toHaveLength(100);
  });
});

test.each(sure)('nothing is said about %s', (_what, flow) => {
  expect(warned(flow)).toEqual([]);
});
