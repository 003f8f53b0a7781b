import { expect, test } from 'vitest';
import { newDenialBudget } from '#lib/http/audit-step.ts';

test('records ten denials at once, and one per second after that', () => {
  const mayRecord = newDenialBudget();
  const recorded = (atMs: number) =>
    Array.from({ length: 100 }, () => mayRecord(atMs)).filter(Boolean).length;
  const start = Date.parse('2026-01-01T00:00:00Z');
  expect(recorded(start)).toBe(10);
  expect(recorded(start + 999)).toBe(0);
  expect(recorded(start + 1_000)).toBe(1);
  expect(recorded(start + 6_000)).toBe(5);
  expect(recorded(start + 3_600_000)).toBe(10);
});

test('a clock that is set back does not increase the budget', () => {
  const mayRecord = newDenialBudget();
  const start = Date.parse('2026-01-01T00:00:00Z');
  for (let n = 0; n < 10; n += 1) mayRecord(start);
  expect(mayRecord(start - 60_000)).toBe(false);
});
