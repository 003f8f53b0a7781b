// The delay before an attempt, from the backoff of the flow and what the other side asks for.
import { describe, expect, test } from 'vitest';
import { parseRetryAfter, retryDelayMs } from '#lib/flow/engine/retry-delay.ts';

const now = Date.parse('2026-11-21T09:00:00.000Z');
const retry = { max_attempts: 5, delay_ms: 100, backoff: 3, max_delay_ms: 20_000, on: ['*'] };
const delay = (retryAfter?: string, attempt = 1, execution = 'run-1.a.1', more = {}) =>
  retryDelayMs({ ...retry, ...more }, { attempt, retryAfter, execution, now });

describe('the header Retry-After', () => {
  test.each([
    ['0', 0],
    ['2', 2_000],
    [' 120 ', 120_000],
    ['999999999', 999_999_999_000],
    ['Sat, 21 Nov 2026 09:00:30 GMT', 30_000],
    ['Saturday, 21-Nov-26 09:00:30 GMT', 30_000],
    ['Sat Nov 21 09:00:30 2026', 30_000],
    ['Fri, 20 Nov 2026 09:00:30 GMT', 0],
    ['-5', undefined],
    ['1.5', undefined],
    ['1e9', undefined],
    ['soon', undefined],
    ['', undefined],
    ['2, 3', undefined],
    ['9'.repeat(400), undefined],
    ['2026-11-21T09:00:30Z', undefined],
    ['Sat, 99 Nov 2026 09:00:30 GMT', undefined],
  ])('%j is %j ms', (header, ms) => {
    expect(parseRetryAfter(header, now)).toBe(ms);
  });

  test('is the least delay, and the longest delay of the flow is the most', () => {
    expect(delay('2')).toBeGreaterThanOrEqual(2_000);
    expect(delay('2')).toBeLessThanOrEqual(2_200);
    expect(delay('999999999')).toBe(20_000);
    expect(delay('999999999', 1, 'run-1.a.1', { max_delay_ms: undefined })).toBe(60_000);
  });

  test.each(['-5', 'garbage', '0'])('that is %j leaves the delay of the flow', (header) => {
    expect(delay(header)).toBe(delay());
  });
});

describe('the backoff', () => {
  test('is shortened by up to a half, otherwise in each execution and attempt', () => {
    const firsts = Array.from({ length: 200 }, (_, n) => delay(undefined, 1, `run-${n}.a.1`));
    expect(Math.min(...firsts)).toBeGreaterThanOrEqual(50);
    expect(Math.max(...firsts)).toBeLessThanOrEqual(100);
    expect(new Set(firsts).size).toBeGreaterThan(30);
    const mean = firsts.reduce((sum, ms) => sum + ms, 0) / firsts.length;
    expect(mean).toBeGreaterThan(70);
    expect(mean).toBeLessThan(80);
  });

  test('is the same for the same attempt, so that a resumed run repeats it', () => {
    expect([1, 2, 3].map((attempt) => delay(undefined, attempt))).toEqual(
      [1, 2, 3].map((attempt) => delay(undefined, attempt)),
    );
  });

  test('of nothing is nothing', () => {
    expect(delay(undefined, 3, 'x', { delay_ms: 0 })).toBe(0);
  });
});
