// How much a run of a flow can use at most: what the longest way through its nodes takes, where its limits do not end it before.

import { limitsInForce } from '../engine/run-limits.ts';
import { modelChoices } from '../nodes/model-choice.ts';
import { nodesOf, typeOf } from './compile.ts';
import type { Flow } from './flow.ts';
import { type Cost, endless, longestPath, type Stage, sum, times } from './longest-path.ts';
import type { FlowNode } from './node-types.ts';

type Nodes = Readonly<Record<string, FlowNode>>;

/** The nodes and the calls of the flows it calls are among them. What other agents do is their own run. */
export function worstCase(flow: Flow): { steps: number; model_calls: number } {
  const way = costOfScope(flow.start, flow.nodes, flow);
  const inForce = limitsInForce(flow.limits ?? {}, {}, { elapsedMs: 0, timeoutMs: undefined });
  const steps = Math.min(way.steps, inForce.steps);
  const byStep = times(steps, { steps: 0, calls: callsOfOneStep(flow.nodes, flow) });
  return { steps, model_calls: Math.min(way.calls, byStep.calls, inForce.modelCalls) };
}

function costOfScope(start: string, nodes: Nodes, flow: Flow): Cost {
  const stages = Object.entries(nodes).map(([id, node]): [string, Stage] => [
    id,
    {
      cost: costOf(node, flow),
      ways: waysOf(node),
      maxVisits: 'max_visits' in node ? node.max_visits : undefined,
    },
  ]);
  return longestPath(start, new Map(stages));
}

/** The cost of one execution. An attempt repeats the calls of models, and what is inside the node. */
function costOf(node: FlowNode, flow: Flow): Cost {
  const { times: count = 1 } = typeOf(node).uses?.(node) ?? {};
  const own = { steps: 1, calls: ownCalls(node, flow) };
  if (own.calls === endless.calls) return endless;
  const inner = (typeOf(node).blocks?.(node) ?? []).map((block) =>
    costOfScope(block.start, nodesOf(block), flow),
  );
  return sum([own, times(attemptsOf(node) * count, sum(inner))]);
}

/** Without what is inside it. */
function ownCalls(node: FlowNode, { models = {} }: Flow): number {
  const { models: used = [], flows = [] } = typeOf(node).uses?.(node) ?? {};
  if (flows.length > 0) return endless.calls;
  const asked = used.map(({ name, calls }) => calls * modelChoices(name, { models, egress: [] }).length);
  return attemptsOf(node) * asked.reduce((all, one) => all + one, 0);
}

/** The most that any node may use in one execution, at whatever depth. */
const callsOfOneStep = (nodes: Nodes, flow: Flow): number =>
  Math.max(
    0,
    ...Object.values(nodes).flatMap((node) => [
      ownCalls(node, flow),
      ...(typeOf(node).blocks?.(node) ?? []).map((block) => callsOfOneStep(nodesOf(block), flow)),
    ]),
  );

const attemptsOf = (node: FlowNode) => ('retry' in node ? (node.retry?.max_attempts ?? 1) : 1);

function waysOf(node: FlowNode): readonly string[] {
  const next = 'next' in node && node.next !== undefined ? [node.next] : [];
  const caught = 'catch' in node ? (node.catch ?? []).map((catcher) => catcher.next) : [];
  return [...next, ...caught, ...(typeOf(node).targets?.(node) ?? []).map(({ id }) => id)];
}
