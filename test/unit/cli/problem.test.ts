// Whether an error of the service says that another try helps.
import { expect, test } from 'vitest';
import { problemFailure } from '#lib/cli/api/problem.ts';
import { errorTable } from '#lib/errors.ts';

const retryOf = (status: number, retryAfter?: number) => {
  const headers = new Headers(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) });
  return problemFailure({ what: 'Asking', status, headers, text: '{"title":"No"}' }).members.retry;
};

test('another try helps where the table of errors has a time to wait, and where the service failed', () => {
  for (const [code, row] of Object.entries(errorTable)) {
    // Tested below.
    if (code === 'run_not_found') continue;
    const retryAfter = 'retryAfterSeconds' in row ? row.retryAfterSeconds : undefined;
    const isWorthIt = retryAfter !== undefined || row.status >= 500 || [412, 429].includes(row.status);
    expect([code, retryOf(row.status, retryAfter)]).toEqual([code, isWorthIt]);
  }
});

test('a run that is not there is not worth another try, though the service names a time for those of events', () => {
  const { status, retryAfterSeconds } = errorTable.run_not_found;
  expect(retryOf(status, retryAfterSeconds)).toBe(false);
});

test('a conflict that lasts, such as a run that is over, is not worth another try', () => {
  expect(retryOf(errorTable.run_over.status)).toBe(false);
  expect(retryOf(errorTable.run_busy.status, errorTable.run_busy.retryAfterSeconds)).toBe(true);
});
