// The node type `transform`.
import { expect, test } from 'vitest';
import { runNodes } from '../scripted.ts';

test('keeps its value under nodes.<id> for the nodes that follow', async () => {
  const { outcome } = await runNodes({
    a: { type: 'transform', output: { n: '{{ 1 + 1 }}', fixed: [true, null] }, next: 'b' },
    b: { type: 'end', output: { a: '{{ nodes.a }}', n: '{{ nodes.a.n }}' } },
  });
  expect(outcome).toEqual({ status: 'completed', response: { a: { n: 2, fixed: [true, null] }, n: 2 } });
});

test('an expression that fails fails the node with its code', async () => {
  const { outcome } = await runNodes({ a: { type: 'transform', output: '{{ 1 + "x" }}' } });
  expect(outcome).toMatchObject({ status: 'failed', error: { code: 'expression.error', node_id: 'a' } });
});
