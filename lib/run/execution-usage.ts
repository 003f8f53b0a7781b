// What the models of each execution of a node have used, and what that cost: the usage that the run has recorded, by the
// execution that called the model. It has all attempts, also those that failed.
import { executionKey } from '#lib/flow/engine/snapshot.ts';
import type { Tokens } from '#lib/flow/format/tokens.ts';
import { totalUsage, type Usage } from '#lib/model/usage.ts';
import type { NodeVisit } from './visited-path.ts';

export interface ExecutionUsage {
  readonly tokens?: Tokens;
  /** Absent where one of the models has no price. */
  readonly cost_estimate?: number;
}

/** Runs of earlier versions of the service have not recorded which execution it was: theirs have none. */
export function addUsage(path: readonly NodeVisit[], usage: readonly Usage[]): NodeVisit[] {
  const byExecution = Map.groupBy(usage, ({ execution }) => execution);
  return path.map((visit) => ({ ...visit, ...sum(byExecution.get(toKey(visit))) }));
}

/** Nothing for an execution that has called no model. */
export const readExecutionUsage = (key: string, usage: readonly Usage[]): ExecutionUsage =>
  sum(usage.filter(({ execution }) => execution === key));

function sum(used: readonly Usage[] = []): ExecutionUsage {
  if (used.length === 0) return {};
  const { tokens, cost_estimate } = totalUsage(used);
  return { tokens, ...(cost_estimate !== null && { cost_estimate }) };
}

const toKey = ({ scope, node_id, visit }: NodeVisit): string =>
  executionKey(scope === undefined ? '' : `${scope}.`, node_id, visit);
