// Carries out an evaluation with its whole budget: what the thread does with a task.
import type { Json } from '#lib/json/json.ts';
import type { ComputeTask } from '../expression/compute.ts';
import { expression } from '../expression/evaluate.ts';
import { schemaWork } from '../schema/step-budget.ts';
import { schemaFaults } from '../schema/validate.ts';

/** `cpuMs` is the CPU time of the thread that it runs on. Rejects with a `NodeError`. */
export async function runTask(task: ComputeTask, cpuMs: () => number): Promise<Json> {
  if (task.kind === 'schema') return [...(await schemaFaults(task.schema, task.value, schemaWork(cpuMs)))];
  const { source, scope } = task;
  return await expression(source)({ scope, pace: () => undefined, cpuMs, made: 0 });
}
