// How much a run of a flow can use at most, by the longest way through its nodes. A loop has no longest way: only limits end it.
import { nodesOf, typeOf } from './compile.ts';
import type { Flow } from './flow.ts';
import type { FlowNode } from './nodes/index.ts';
import { modelChoices } from './nodes/model-choice.ts';

interface Cost {
  readonly steps: number;
  readonly calls: number;
}

type Nodes = Readonly<Record<string, FlowNode>>;

/** Null where the text of the flow sets no bound. */
export function worstCase(flow: Flow): { steps: number | null; model_calls: number | null } {
  const { steps, calls } = longest(flow.start, flow.nodes, flow);
  return { steps: bounded(steps), model_calls: bounded(calls) };
}

const bounded = (count: number) => (Number.isFinite(count) ? count : null);

const none: Cost = { steps: 0, calls: 0 };
const endless = Number.POSITIVE_INFINITY;

function longest(start: string, nodes: Nodes, flow: Flow): Cost {
  const known = new Map<string, Cost | 'on the way'>();
  const from = (id: string): Cost => {
    const seen = known.get(id);
    if (seen === 'on the way') return { steps: endless, calls: endless };
    const node = nodes[id];
    if (seen || !node) return seen ?? none;
    known.set(id, 'on the way');
    const own = costOf(node, flow);
    const after = waysOf(node).map(from);
    const cost = {
      steps: own.steps + Math.max(0, ...after.map(({ steps }) => steps)),
      calls: own.calls + Math.max(0, ...after.map(({ calls }) => calls)),
    };
    known.set(id, cost);
    return cost;
  };
  return from(start);
}

/** An attempt repeats the calls of models, and what is inside the node. */
function costOf(node: FlowNode, flow: Flow): Cost {
  const { uses, blocks } = typeOf(node);
  const { models = [], flows = [], times = 1 } = uses?.(node) ?? {};
  if (flows.length > 0) return { steps: endless, calls: endless };
  const attempts = 'retry' in node ? (node.retry?.max_attempts ?? 1) : 1;
  const asked = models.reduce(
    (sum, { name, calls }) =>
      sum + calls * modelChoices(name, { models: flow.models ?? {}, egress: [] }).length,
    0,
  );
  const inner = (blocks?.(node) ?? []).map((block) => longest(block.start, nodesOf(block), flow));
  return {
    steps: 1 + attempts * times * sumOf(inner.map(({ steps }) => steps)),
    calls: attempts * (asked + times * sumOf(inner.map(({ calls }) => calls))),
  };
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0);

function waysOf(node: FlowNode): readonly string[] {
  const next = 'next' in node && node.next !== undefined ? [node.next] : [];
  const caught = 'catch' in node ? (node.catch ?? []).map((catcher) => catcher.next) : [];
  return [...next, ...caught, ...(typeOf(node).targets?.(node) ?? []).map(({ id }) => id)];
}
