// Schemas and values that would take minutes to check: over HTTP, where a run and an answer come to an end
// with its reason. That they do so in time is counted in steps, since a busy machine takes longer for each.
import { expect, test } from 'vitest';
import { limits } from '#lib/flow/format/limits.ts';
import type { NodeError } from '#lib/flow/format/node-error.ts';
import { createSchemaBudget } from '#lib/flow/schema/step-budget.ts';
import { findSchemaFaults } from '#lib/flow/schema/validate.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { asked } from '#test/support/asking-runs.ts';
import { flow } from '#test/support/builders.ts';
import { call } from '#test/support/client.ts';
import { liveAgent } from '#test/support/flows.ts';
import { resumeRun, runState } from '#test/support/run-calls.ts';

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** 120 KB, as much as `user_variables` may be. */
const numbers = times(20_000, (index) => index);
const wide = Object.fromEntries(times(8_000, (index) => [`n${index}`, 1]));
const text = 'x'.repeat(120_000);

const done = { type: 'end', output: { done: true } };

const checking = (variable: JsonObject) =>
  flow({
    input: { type: 'object', properties: { sent: variable } },
    limits: { timeout_seconds: 120 },
    start: 'done',
    nodes: { done },
  });

async function triggered(schema: JsonObject, sent: Json) {
  const agent = await liveAgent({ flow: checking(schema) });
  const { body } = await call('triggerFlow', {
    key: agent.key,
    params: { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' },
    body: { message: '', user_variables: { sent } },
  });
  return body;
}

/** The steps of the check, and how it ended. */
async function countSteps(schema: JsonObject, value: Json) {
  const budget = createSchemaBudget();
  const faults = await findSchemaFaults(schema, value, budget).catch(({ code }: NodeError) => code);
  return { faults, steps: limits.schemaStepsMax - budget.left };
}

/** A fifth of a second, in steps of 25 ns. */
const stepsMax = 8_000_000;

test.each([
  ['100 × uniqueItems', { allOf: times(100, () => ({ uniqueItems: true })) }, numbers],
  ['5,000 × uniqueItems', { allOf: times(5_000, () => ({ uniqueItems: true })) }, numbers],
  ['20,000 × minLength', { allOf: times(20_000, () => ({ minLength: 0 })) }, text],
  ['3,000 × minProperties', { allOf: times(3_000, () => ({ minProperties: 1 })) }, wide],
  ['3,000 × const', { not: { anyOf: times(3_000, (index) => ({ const: { index } })) } }, wide],
])('%s is checked in few steps, and the run completes', async (_name, schema, sent) => {
  const { faults, steps } = await countSteps(schema, sent);
  expect(faults).toEqual([]);
  expect(steps).toBeLessThan(stepsMax);
  expect(await triggered(schema, sent)).toMatchObject({ status: 'completed', response: { done: true } });
});

const unbounded: JsonObject = { items: { allOf: times(5_000, () => ({ minimum: 0 })) } };

test('a run whose input would take too much work fails after few steps with that reason', async () => {
  const { faults, steps } = await countSteps(unbounded, numbers);
  expect(faults).toBe('schema.too_complex');
  expect(steps).toBeLessThan(stepsMax);
  const { status, error } = await triggered(unbounded, numbers);
  expect(status).toBe('failed');
  expect(error).toContain('schema.too_complex');
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
