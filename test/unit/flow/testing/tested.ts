// Runs one test of a flow: of a small shop, unless other nodes are given.
import { expect } from 'vitest';
import { testFlow } from '#lib/flow/testing/test-flow.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { clock } from '#lib/run/compute/clock.ts';
import { checkedFlow } from '../scripted.ts';

export const shop = {
  order: {
    type: 'http',
    url: 'https://api.shop.example/orders/{{ input.user_variables.id }}',
    retry: { max_attempts: 3, delay_ms: 60_000, on: ['http.503'] },
    catch: [{ on: ['http.*'], next: 'unknown' }],
    next: 'say',
  },
  say: { type: 'reply', text: 'It is {{ nodes.order.body.status }}.', next: 'done' },
  done: { type: 'end', output: { status: '{{ nodes.order.body.status }}', shop: '{{ env.shop }}' } },
  unknown: { type: 'end', output: { status: 'unknown' } },
};
export const shipped = { order: { status: 200, headers: {}, body: { status: 'shipped' } } };

/** What is reported of one test of a flow of these nodes. */
export async function tested(
  test: JsonObject,
  nodes: Readonly<Record<string, unknown>> = shop,
  timeoutMs = 5_000,
) {
  const flow = checkedFlow(nodes, {
    egress: ['api.shop.example'],
    tests: [{ input: { message: 'hello' }, expect: 'true', ...test }],
  });
  const { tests, passed } = await testFlow(flow, { clock, env: { shop: 'Books' }, timeoutMs });
  expect(passed).toBe(tests[0]?.passed);
  return tests[0];
}
