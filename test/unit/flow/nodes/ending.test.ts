// The types that say something or end the run: reply, fail, end.
import { expect, test } from 'vitest';
import { runNodes } from '../scripted.ts';

test('reply sends text and data while the run goes on', async () => {
  const { replies, outcome } = await runNodes({
    a: { type: 'reply', text: 'Step {{ 1 + 1 }}', data: { n: '{{ 1 + 1 }}' }, next: 'b' },
    b: { type: 'end', output: { said: '{{ nodes.a }}' } },
  });
  expect(replies).toEqual([{ node_id: 'a', text: 'Step 2', data: { n: 2 } }]);
  expect(outcome).toMatchObject({ response: { said: { text: 'Step 2', data: { n: 2 } } } });
});

test('the text of a reply is text, whatever the expression gives', async () => {
  const { replies } = await runNodes({ a: { type: 'reply', text: '{{ 5 }}' } });
  expect(replies).toEqual([{ node_id: 'a', text: '5' }]);
});

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

test('end gives the response', async () => {
  const { outcome } = await runNodes({ a: { type: 'end', output: '{{ {"a": 1} }}' } });
  expect(outcome).toEqual({ status: 'completed', response: { a: 1 } });
});

test.each([
  ['{{ [1] }}', 'an array'],
  ['{{ state.nothing }}', 'nothing'],
  ['{{ "x" }}', 'a string'],
])('end with output %s fails, because the response is an object', async (output, got) => {
  const { outcome } = await runNodes({ a: { type: 'end', output } });
  expect(outcome).toMatchObject({
    error: { code: 'end.not_object', message: `output: expected an object, got ${got}.` },
  });
});

test('without an end the state is the response', async () => {
  const { outcome } = await runNodes(
    { a: { type: 'transform', output: 1, assign: { b: '{{ nodes.a + 1 }}' } } },
    {},
    { flow: { state: { a: 1 } } },
  );
  expect(outcome).toEqual({ status: 'completed', response: { a: 1, b: 2 } });
});
