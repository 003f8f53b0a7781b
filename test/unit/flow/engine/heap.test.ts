// What a large map takes of the heap, in a process that has too little of it for all that its items take on
// their way.
import { describe, expect, test } from 'vitest';
import { printedBy } from '#test/support/printed-by.ts';

/** MB. The items take 190 MB on their way, one after the other; the process without them needs about 30. */
const heapMax = 80;

const runOutcome = (...args: readonly string[]) =>
  printedBy(new URL('heap-process.ts', import.meta.url), {
    nodeArgs: [`--max-old-space-size=${heapMax}`],
    args,
  });

describe('a map of a thousand items, each of which takes 190 KB while it runs,', () => {
  test('completes within the memory of those that run at once when each gives little', async () => {
    expect(await runOutcome('small')).toEqual({ status: 'completed', response: { sum: 499_500 } });
  });

  test('could not, if what an item leaves behind were kept', async () => {
    await expect(runOutcome('small', 'keeping')).rejects.toThrow(/heap out of memory/);
  });

  test('fails with the limit of an output when each gives 1 KB', async () => {
    expect(await runOutcome('middling')).toMatchObject({
      status: 'failed',
      error: { code: 'value.too_large', message: 'nodes.each: expected at most 204800 bytes of JSON.' },
    });
  });

  test('fails with the same limit when each gives all that it has', async () => {
    expect(await runOutcome('large')).toMatchObject({
      status: 'failed',
      error: { code: 'value.too_large', message: 'nodes.each: expected at most 204800 bytes of JSON.' },
    });
  });
});
