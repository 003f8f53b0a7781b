// The most that a run of a flow can use: the longest path through its nodes, unless its limits end it before.

import { limitsInForce } from '../engine/run-limits.ts';
import { modelChoices } from '../nodes/model-choice.ts';
import { listNodes, requireType } from './compile.ts';
import type { Flow } from './flow.ts';
import {
  addCosts,
  type Cost,
  findLongestPath,
  type GraphNode,
  multiplyCost,
  unbounded,
} from './longest-path.ts';
import type { FlowNode } from './node-types.ts';

type Nodes = Readonly<Record<string, FlowNode>>;

/** Includes the nodes and the calls of the flows that it calls, but not what other agents use. */
export function findWorstCase(flow: Flow): { steps: number; model_calls: number } {
  const path = measureScope(flow.start, flow.nodes, flow);
  const inForce = limitsInForce(flow.limits ?? {}, {}, { elapsedMs: 0, timeoutMs: undefined });
  const steps = Math.min(path.steps, inForce.steps);
  const { calls } = multiplyCost(steps, { steps: 0, calls: findMaxCallsOfOneStep(flow.nodes, flow) });
  return { steps, model_calls: Math.min(path.calls, calls, inForce.modelCalls) };
}

function measureScope(start: string, nodes: Nodes, flow: Flow): Cost {
  const graph = Object.entries(nodes).map(([id, node]): [string, GraphNode] => [
    id,
    {
      cost: measureNode(node, flow),
      edges: findEdges(node),
      maxVisits: 'max_visits' in node ? node.max_visits : undefined,
      onMaxVisits: 'on_max_visits' in node ? node.on_max_visits : undefined,
    },
  ]);
  return findLongestPath(start, new Map(graph));
}

/** The cost of one execution. Each attempt repeats the calls of models and the nodes inside. */
function measureNode(node: FlowNode, flow: Flow): Cost {
  const { times = 1 } = requireType(node).uses?.(node) ?? {};
  const own = { steps: 1, calls: countOwnCalls(node, flow) };
  if (own.calls === unbounded.calls) return unbounded;
  const inner = (requireType(node).blocks?.(node) ?? []).map((block) =>
    measureScope(block.start, listNodes(block), flow),
  );
  return addCosts([own, multiplyCost(maxAttempts(node) * times, addCosts(inner))]);
}

/** Does not count the calls of nodes inside the node. */
function countOwnCalls(node: FlowNode, { models = {} }: Flow): number {
  const { models: used = [], flows = [] } = requireType(node).uses?.(node) ?? {};
  if (flows.length > 0) return unbounded.calls;
  const counts = used.map(({ name, calls }) => calls * modelChoices(name, { models, egress: [] }).length);
  return maxAttempts(node) * counts.reduce((all, one) => all + one, 0);
}

/** The most calls that any node makes in one execution, at any depth. */
const findMaxCallsOfOneStep = (nodes: Nodes, flow: Flow): number =>
  Math.max(
    0,
    ...Object.values(nodes).flatMap((node) => [
      countOwnCalls(node, flow),
      ...(requireType(node).blocks?.(node) ?? []).map((block) =>
        findMaxCallsOfOneStep(listNodes(block), flow),
      ),
    ]),
  );

const maxAttempts = (node: FlowNode) => ('retry' in node ? (node.retry?.max_attempts ?? 1) : 1);

function findEdges(node: FlowNode): readonly string[] {
  const next = 'next' in node && node.next !== undefined ? [node.next] : [];
  const caught = 'catch' in node ? (node.catch ?? []).map((catcher) => catcher.next) : [];
  return [...next, ...caught, ...(requireType(node).targets?.(node) ?? []).map(({ id }) => id)];
}
