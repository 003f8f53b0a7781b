// Executes a compute task with its full budget, on the compute thread.
import type { Json } from '#lib/json/json.ts';
import type { ComputeTask } from '../expression/compute.ts';
import { expression } from '../expression/evaluate.ts';
import { searchText } from '../expression/search-text.ts';
import { createBudget } from '../expression/step-budget.ts';
import { createSchemaBudget } from '../schema/step-budget.ts';
import { findSchemaFaults } from '../schema/validate.ts';

/** `cpuMs` returns the CPU time of the current thread. Rejects with a `NodeError`. */
export async function runTask(task: ComputeTask, cpuMs: () => number): Promise<Json> {
  if (task.kind === 'schema')
    return [...(await findSchemaFaults(task.schema, task.value, createSchemaBudget(cpuMs)))];
  if (task.kind === 'search') return searchText(task, createBudget(cpuMs));
  const { source, scope, execution } = task;
  let kept = 0;
  const noteKept = (count: number) => {
    kept += count;
  };
  const at = { scope, ...(execution && { execution }), noteKept, pace: () => undefined, cpuMs, made: 0 };
  return { value: await expression(source)(at), kept };
}
