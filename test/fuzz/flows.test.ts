// Runs generated flows with generated failures of everything outside, and interrupts them. However a run is interrupted,
// it ends as it would have otherwise, and in a documented way. `SEED=… npm run fuzz` repeats a run.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkFlow } from '#lib/flow/check/check-flow.ts';
import { compileFlow } from '#lib/flow/definition/compile.ts';
import type { Flow } from '#lib/flow/definition/flow.ts';
import { nodeTypes } from '#lib/flow/definition/node-types.ts';
import type { CompiledFlow } from '#lib/flow/engine/node-context.ts';
import { findDifference, findUndocumented } from '#test/support/flow-fuzz/compare.ts';
import { drive } from '#test/support/flow-fuzz/drive.ts';
import { toFlow } from '#test/support/flow-fuzz/nodes.ts';
import { type FlowPlan, flowPlan } from '#test/support/flow-fuzz/parts.ts';
import type { Interruption } from '#test/support/flow-fuzz/process.ts';
import { recipes } from '#test/support/flow-fuzz/recipes.ts';
import { createShapeComparison } from '#test/support/flow-fuzz/shapes.ts';
import { seed } from '#test/support/seed.ts';

const flows = Number(process.env.FUZZ_FLOWS ?? 20_000);

const interruption: fc.Arbitrary<Interruption> = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant('yield'), at: fc.integer({ min: 1, max: 6 }) }), weight: 5 },
  { arbitrary: fc.record({ kind: fc.constant('crash'), at: fc.integer({ min: 1, max: 24 }) }), weight: 5 },
  { arbitrary: fc.record({ kind: fc.constant('cancel'), at: fc.integer({ min: 1, max: 40 }) }), weight: 1 },
);

const execution = fc.record({
  plan: flowPlan,
  weather: fc.record({ salt: fc.nat({ max: 65_535 }), rate: fc.nat({ max: 4 }) }),
  isPatient: fc.boolean(),
  interruptions: fc.array(interruption, { minLength: 1, maxLength: 4 }),
});

async function compile(plan: FlowPlan): Promise<{ readonly source: Flow; readonly flow: CompiledFlow }> {
  const checked = checkFlow(toFlow(plan));
  if (!checked.ok) throw new Error(`The generated flow has mistakes: ${JSON.stringify(checked.errors)}`);
  const flow = compileFlow(checked.flow);
  await Promise.all(flow.modules.map((module) => module.load()));
  return { source: checked.flow, flow };
}

test('flows are generated from nodes of every type', () => {
  expect(Object.keys(recipes).sort()).toEqual(Object.keys(nodeTypes).sort());
});

test(`${flows} generated flows end in documented ways, however they are interrupted (SEED=${seed})`, {
  timeout: 1_200_000,
}, async () => {
  const outcomes = new Map<string, number>();
  const count = (key: string) => outcomes.set(key, (outcomes.get(key) ?? 0) + 1);
  const shapes = createShapeComparison();
  const began = performance.now();
  const property = fc.asyncProperty(execution, async ({ plan, weather, isPatient, interruptions }) => {
    const { source, flow } = await compile(plan);
    const whole = await drive(flow, { weather, isPatient: true, interruptions: [] });
    const pieces = await drive(flow, { weather, isPatient, interruptions });
    for (const run of [whole, pieces]) {
      const undocumented = findUndocumented(run);
      if (undocumented !== undefined) throw new Error(undocumented);
      count(run.outcome.status === 'failed' ? run.outcome.error.code : run.outcome.status);
    }
    shapes.compareOutputs(source.nodes, pieces);
    count(pieces.interrupted > 0 ? 'interrupted' : 'whole');
    const difference = findDifference(plan, whole, pieces);
    if (difference !== undefined) throw new Error(difference);
  });
  await fc.assert(property, { numRuns: flows, seed });
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  process.stderr.write(
    `fuzz: ${flows} flows in ${seconds} s, SEED=${seed}, ${JSON.stringify([...outcomes])}\n`,
  );
  expect([...shapes.unexpected], 'outputs that the check of flows does not expect').toEqual([]);
  expect(shapes.unseen(), 'members that the check of flows expects and no output has').toEqual([]);
});
