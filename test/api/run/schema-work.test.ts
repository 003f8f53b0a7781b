// Schemas and values that would take minutes to check: over HTTP, where a run and an answer come to an end
// within their time.
import { expect, test } from 'vitest';
import type { JsonObject } from '#lib/json/json.ts';
import { asked } from '#test/support/asking-runs.ts';
import { flow } from '#test/support/builders.ts';
import { call } from '#test/support/client.ts';
import { liveAgent } from '#test/support/flows.ts';
import { resumeRun, runState } from '#test/support/run-calls.ts';

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

const cpuMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** 120 KB, as much as `user_variables` may be. */
const numbers = times(20_000, (index) => index);
const wide = Object.fromEntries(times(8_000, (index) => [`n${index}`, 1]));
const text = 'x'.repeat(120_000);

const done = { type: 'end', output: { done: true } };

const checking = (variable: JsonObject) =>
  flow({
    input: { type: 'object', properties: { sent: variable } },
    limits: { timeout_seconds: 2 },
    start: 'done',
    nodes: { done },
  });

async function triggered(schema: JsonObject, sent: unknown) {
  const agent = await liveAgent({ flow: checking(schema) });
  const began = cpuMs();
  const { body } = await call('triggerFlow', {
    key: agent.key,
    params: { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' },
    body: { message: '', user_variables: { sent } },
  });
  return { body, ms: cpuMs() - began };
}

test.each([
  ['100 × uniqueItems', { allOf: times(100, () => ({ uniqueItems: true })) }, numbers],
  ['5,000 × uniqueItems', { allOf: times(5_000, () => ({ uniqueItems: true })) }, numbers],
  ['20,000 × minLength', { allOf: times(20_000, () => ({ minLength: 0 })) }, text],
  ['3,000 × minProperties', { allOf: times(3_000, () => ({ minProperties: 1 })) }, wide],
  ['3,000 × const', { not: { anyOf: times(3_000, (index) => ({ const: { index } })) } }, wide],
])('%s is checked within the time of the run, which completes', async (_name, schema, sent) => {
  const { body, ms } = await triggered(schema, sent);
  expect(body).toMatchObject({ status: 'completed', response: { done: true } });
  expect(ms).toBeLessThan(2_000);
});

const unbounded: JsonObject = { items: { allOf: times(5_000, () => ({ minimum: 0 })) } };

test('a run whose input would take too much work fails on time with that reason', async () => {
  const { body, ms } = await triggered(unbounded, numbers);
  expect(body.status).toBe('failed');
  expect(body.error).toContain('schema.too_complex');
  expect(ms).toBeLessThan(2_000);
});

test('an answer that would take too much work is refused with 400 and that reason, and the question stays open', async () => {
  const sure = { type: 'ask', prompt: 'Which?', schema: unbounded, next: 'done' };
  const { agent, id } = await asked({ flow: flow({ start: 'sure', nodes: { sure, done } }) });
  const { status, problem } = await resumeRun(agent, id, { answer: numbers });
  expect(status).toBe(400);
  expect(problem.errors).toEqual([
    { pointer: '/body/answer', detail: expect.stringContaining('schema.too_complex') },
  ]);
  expect((await runState(agent, id)).status).toBe('input_required');
  expect((await resumeRun(agent, id, { answer: [1] })).status).toBe(202);
});
