// What a run believes of an agent that called it: enough to stop circles and to spend no more than is left,
// and nothing that would widen it.
import { expect, test } from 'vitest';
import type { Json } from '#lib/json/json.ts';
import { readCallChain } from '#lib/run/call-chain.ts';

const toInput = (agent_flow: Json) => ({ a2a: { metadata: { agent_flow } } });

test('a run that no agent has called is alone in its chain', () => {
  expect(readCallChain({}, 'here')).toEqual({ chain: ['here'], limits: {} });
});

test("a called run continues the chain of its caller, and has only the caller's remaining budget", () => {
  const left = { steps: 7, model_calls: 2, tokens: 100, ms: 1500, depth: 3 };
  expect(readCallChain(toInput({ chain: ['a', 'b'], left }), 'here')).toEqual({
    chain: ['a', 'b', 'here'],
    limits: { max_steps: 7, max_model_calls: 2, max_tokens: 100, timeout_seconds: 1.5, max_depth: 5 },
  });
});

test.each([
  ['no list', { chain: 'a', left: {} }],
  ['a chain longer than any may be', { chain: Array.from({ length: 11 }, () => 'a'), left: {} }],
  ['a budget that is no number', { chain: [], left: { steps: 'all' } }],
  ['a negative budget', { chain: [], left: { tokens: -1 } }],
])('a malformed call chain is ignored: %s', (_what, agent_flow) => {
  expect(readCallChain(toInput(agent_flow), 'here')).toEqual({ chain: ['here'], limits: {} });
});
