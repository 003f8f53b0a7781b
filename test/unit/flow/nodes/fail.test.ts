import { expect, test } from 'vitest';
import { runNodes } from '../scripted.ts';

test.each([
  [undefined, 'fail'],
  ['order_too_old', 'fail.order_too_old'],
])('fail with code %s ends the run as failed with code %s', async (code, expected) => {
  const { outcome, snapshots } = await runNodes({
    a: { type: 'fail', message: 'Order {{ 1 }} is too old', ...(code && { code }) },
  });
  expect(outcome).toEqual({
    status: 'failed',
    error: { code: expected, message: 'Order 1 is too old', node_id: 'a' },
  });
  expect(snapshots).toEqual([]);
});
