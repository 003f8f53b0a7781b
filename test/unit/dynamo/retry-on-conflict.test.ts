import { describe, expect, test } from 'vitest';
import { resendOnConflict } from '#lib/dynamo/retry-on-conflict.ts';

const conflict = Object.assign(new Error('Transaction is ongoing'), { name: 'TransactionConflictException' });
const canceled = (Code: string) =>
  Object.assign(new Error('canceled'), {
    name: 'TransactionCanceledException',
    CancellationReasons: [{ Code }],
  });

/** Fails so often with an error, and then succeeds. */
function failing(times: number, error: Error) {
  const calls = { count: 0 };
  const call = async () => {
    calls.count += 1;
    if (calls.count <= times) throw error;
    return 'done';
  };
  return { call, calls };
}

describe('a call that conflicts with a transaction', () => {
  test.each([conflict, canceled('TransactionConflict'), canceled('ThrottlingError')])(
    'is sent again until it has its effect: %s',
    async (error) => {
      const { call, calls } = failing(3, error);
      expect(await resendOnConflict(call)).toBe('done');
      expect(calls.count).toBe(4);
    },
  );

  test('fails after four attempts, within the time of a request', async () => {
    const { call, calls } = failing(Number.POSITIVE_INFINITY, conflict);
    await expect(resendOnConflict(call)).rejects.toBe(conflict);
    expect(calls.count).toBe(4);
  });
});

test.each([canceled('ConditionalCheckFailed'), canceled('ValidationError'), new Error('x')])(
  'any other failure passes at once: %s',
  async (error) => {
    const { call, calls } = failing(1, error);
    await expect(resendOnConflict(call)).rejects.toBe(error);
    expect(calls.count).toBe(1);
  },
);
