// The step budget of a validation against a JSON Schema. The counted steps are checked exactly, and the CPU
// time with a margin, because steps take longer on a busy machine.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runTask } from '#lib/flow/engine/compute-task.ts';
import { inlineLimits } from '#lib/flow/expression/compute.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import { schemaProblems } from '#lib/flow/schema/problems.ts';
import { createSchemaBudget } from '#lib/flow/schema/step-budget.ts';
import { findSchemaFaults } from '#lib/flow/schema/validate.ts';
import { findValueFaults } from '#lib/flow/schema/value-faults.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import {
  auditRows,
  endlessRows,
  honestRows,
  hostileSchema,
  hostileValue,
} from '#test/support/hostile-schemas.ts';
import { seed } from '#test/support/seed.ts';

const cpuMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** 250 ms on a machine of its own; here others run beside it. */
const cpuMsMax = 1_000;

/** How it ended, and the CPU time that it took. */
async function runOutcome(schema: JsonObject, value: Json, work = createSchemaBudget()) {
  const began = cpuMs();
  try {
    return { faults: await findSchemaFaults(schema, value, work), ms: cpuMs() - began, work };
  } catch (error) {
    const code = error instanceof NodeError ? error.code : String(error);
    return { code, ms: cpuMs() - began, work };
  }
}

test.each(auditRows)(
  '%s is validated quickly, because nothing is traversed twice',
  async (_name, schema, value) => {
    const { faults, ms } = await runOutcome(schema, value);
    expect(faults).toEqual([]);
    expect(ms).toBeLessThan(cpuMsMax);
  },
);

test.each(endlessRows)(
  '%s is too complex, which is detected in bounded time',
  async (_name, schema, value) => {
    const { code, ms } = await runOutcome(schema, value);
    expect(code).toBe('schema.too_complex');
    expect(ms).toBeLessThan(cpuMsMax);
  },
);

test.each(honestRows)('the budget is enough for %s', async (_name, schema, value) => {
  const { faults, ms } = await runOutcome(schema, value);
  expect(faults).toEqual([]);
  expect(ms).toBeLessThan(cpuMsMax);
});

describe('generated schemas and values', () => {
  test('10,000 of them end within their step budget', async () => {
    const left = limits.schemaStepsMax / 100;
    let [units, ms] = [0, 0];
    for (const [schema, value] of generated(10_000)) {
      const { code = 'schema.too_complex', work, ms: took } = await runOutcome(schema, value, { left });
      expect(code).toBe('schema.too_complex');
      units += left - Math.max(work.left, 0);
      ms += took;
    }
    const nsPerUnitMax = 200;
    expect(ms).toBeLessThan(20_000 + (units * nsPerUnitMax) / 1e6);
  });

  test('each ends within its CPU time with the whole budget', async () => {
    for (const [schema, value] of generated(300))
      expect((await runOutcome(schema, value)).ms).toBeLessThan(cpuMsMax);
  });
});

/**
 * Not as a property of fast-check: to write down a counterexample of this size would take longer than all
 * tests.
 */
function* generated(count: number): Generator<readonly [JsonObject, Json]> {
  console.log(`SEED=${seed}`);
  const chunk = Math.min(count, 100);
  for (let next = seed; next < seed + count / chunk; next++)
    yield* fc.sample(fc.tuple(hostileSchema, hostileValue), { numRuns: chunk, seed: next });
}

test('with a clock, the CPU time ends a validation whose steps take longer than they are counted', async () => {
  let now = 0;
  const work = createSchemaBudget(() => (now += 100));
  const schema = { items: { allOf: Array.from({ length: 500 }, () => ({ minimum: 0 })) } };
  const value = Array.from({ length: 20_000 }, (_, index) => index);
  const { code } = await runOutcome(schema, value, work);
  expect(code).toBe('schema.too_complex');
  expect(work.left).toBeGreaterThan(limits.schemaStepsMax / 2);
});

describe('on the thread that all callers share', () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
  const schema = { items: { type: 'number', minimum: 0 } };

  /**
   * What the check of so many numbers came to, where each look at the clock says that so many ms have passed.
   */
  async function inlineCheck(count: number, msPerLook: number) {
    let [now, spent] = [0, 0];
    const spend = (cpuMs: number) => {
      spent += cpuMs;
    };
    const faults = await findValueFaults(schema, numbers(count), {
      allowance: () => ({ cpuMs: inlineLimits.cpuMs, spend }),
      cpuMs: () => (now += msPerLook),
      runOnThread: async () => ['checked on the thread'],
    });
    return { faults, spent };
  }

  test('a validation of few steps runs there, and its CPU time is charged', async () => {
    expect(await inlineCheck(1_000, 1)).toEqual({ faults: [], spent: expect.any(Number) });
    expect((await inlineCheck(1_000, 1)).spent).toBeGreaterThan(0);
  });

  test('a validation of many steps runs on the other thread', async () => {
    expect((await inlineCheck(100_000, 0)).faults).toEqual(['checked on the thread']);
  });

  test('a validation of few steps that takes long runs on the other thread', async () => {
    expect((await inlineCheck(15_000, 0)).faults).toEqual([]);
    expect((await inlineCheck(15_000, 10)).faults).toEqual(['checked on the thread']);
  });

  test('a validation on the other thread has a clock', async () => {
    let now = 0;
    const task = {
      kind: 'schema',
      schema: { items: { allOf: [schema.items] } },
      value: numbers(100_000),
    } as const;
    await expect(runTask(task, () => (now += 100))).rejects.toMatchObject({ code: 'schema.too_complex' });
    expect(await runTask(task, () => 0)).toEqual([]);
  });
});

test('messages show only the beginning of long names and expected values', async () => {
  const long = 'n'.repeat(1_000_000);
  const schema = {
    properties: { [long]: { enum: [[long]] }, a: { const: { [long]: long } } },
    required: [long],
  };
  const faults = await findSchemaFaults(schema, { a: 1, [long]: 1 });
  expect(faults).toHaveLength(2);
  for (const fault of faults) expect(fault.length).toBeLessThan(500);
});

test('no message is truncated inside a character', async () => {
  for (const lead of ['', 'n']) {
    const long = `${lead}${'😀'.repeat(300)}`;
    const one = { properties: { a: { enum: [long] }, b: { const: { [long]: long } }, c: { pattern: long } } };
    const other = { required: [long], additionalProperties: false, propertyNames: { maxLength: 5 } };
    const inner = { additionalProperties: { type: 'null' } };
    const value = { [long]: 1, a: 1, b: 1, c: 'c' };
    const faults = [
      ...(await findSchemaFaults({ ...one, ...other }, value)),
      ...(await findSchemaFaults(inner, value)),
      ...schemaProblems({ [long]: 1 }).map(({ detail }) => detail),
    ];
    expect(faults.length).toBeGreaterThan(7);
    // JSON shows half of a pair as an escape.
    for (const fault of faults) expect(JSON.stringify(fault)).not.toMatch(/\\ud[89a-f]/i);
  }
});

test('objects that differ only in a name such as __proto__ are different items', async () => {
  const value: Json = JSON.parse('[{"__proto__": 1}, {}]');
  expect(await findSchemaFaults({ uniqueItems: true }, value)).toEqual([]);
});
