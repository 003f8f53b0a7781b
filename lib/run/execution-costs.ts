// What each execution of a node has cost: the usage that the run has recorded, by the execution that called the model.
import { executionKey } from '#lib/flow/engine/snapshot.ts';
import { totalUsage, type Usage } from '#lib/model/usage.ts';
import type { NodeVisit } from './visited-path.ts';

/** Runs of earlier versions of the service have not recorded which execution it was: theirs have no cost. */
export function addCosts(path: readonly NodeVisit[], usage: readonly Usage[]): NodeVisit[] {
  const byExecution = Map.groupBy(usage, ({ execution }) => execution);
  return path.map((visit) => {
    const used = byExecution.get(toKey(visit));
    const cost_estimate = used ? totalUsage(used).cost_estimate : null;
    return cost_estimate === null ? visit : { ...visit, cost_estimate };
  });
}

const toKey = ({ scope, node_id, visit }: NodeVisit): string =>
  executionKey(scope === undefined ? '' : `${scope}.`, node_id, visit);
