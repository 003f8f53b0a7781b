// Executes a compute task with its full budget, on the compute thread.
import type { Json } from '#lib/json/json.ts';
import type { ComputeTask } from '../expression/compute.ts';
import { expression } from '../expression/evaluate.ts';
import { createSchemaBudget } from '../schema/step-budget.ts';
import { findSchemaFaults } from '../schema/validate.ts';

/** `cpuMs` returns the CPU time of the current thread. Rejects with a `NodeError`. */
export async function runTask(task: ComputeTask, cpuMs: () => number): Promise<Json> {
  if (task.kind === 'schema')
    return [...(await findSchemaFaults(task.schema, task.value, createSchemaBudget(cpuMs)))];
  const { source, scope } = task;
  return await expression(source)({ scope, pace: () => undefined, cpuMs, made: 0 });
}
