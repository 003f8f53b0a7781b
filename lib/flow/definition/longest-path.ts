// The longest path of a run through the nodes of a scope. The path through a loop is bounded only if a node of it has
// `max_visits`; otherwise only the limits of the run end it.
import { findComponents } from './components.ts';

/** What an execution, a path or a run uses at most; infinite if the flow sets no bound. */
export interface Cost {
  readonly steps: number;
  readonly calls: number;
}

export interface GraphNode {
  /** The cost of one execution. */
  readonly cost: Cost;
  readonly edges: readonly string[];
  readonly maxVisits: number | undefined;
  /** Where a path leads instead that comes to the node after its last visit. */
  readonly onMaxVisits: string | undefined;
}

type Graph = ReadonlyMap<string, GraphNode>;
type Costs = ReadonlyMap<string, Cost>;

const noCost: Cost = { steps: 0, calls: 0 };
export const unbounded: Cost = { steps: Number.POSITIVE_INFINITY, calls: Number.POSITIVE_INFINITY };

export const addCosts = (costs: readonly Cost[]): Cost =>
  costs.reduce((all, { steps, calls }) => ({ steps: all.steps + steps, calls: all.calls + calls }), noCost);

/** Zero times infinity is zero here. */
export const multiplyCost = (count: number, { steps, calls }: Cost): Cost => ({
  steps: count === 0 || steps === 0 ? 0 : count * steps,
  calls: count === 0 || calls === 0 ? 0 : count * calls,
});

/** The maximum of the steps and that of the calls, which may be those of different paths. */
const maxCost = (ids: readonly string[], costs: Costs): Cost =>
  ids.reduce((all, id) => {
    const { steps, calls } = costs.get(id) ?? noCost;
    return { steps: Math.max(all.steps, steps), calls: Math.max(all.calls, calls) };
  }, noCost);

export const findLongestPath = (start: string, graph: Graph): Cost =>
  findLongestPaths([start], graph).get(start) ?? noCost;

/** The longest path from each node that can be reached. */
function findLongestPaths(starts: Iterable<string>, graph: Graph): Costs {
  const known = new Map<string, Cost>();
  for (const { ids, isLoop } of findComponents(starts, edgesWithin(graph))) {
    const component = new Map([...ids].flatMap((id) => findEntry(id, graph)));
    const costs = isLoop ? measureLoop(component, known) : measureNode(component, known);
    for (const [id, cost] of costs) known.set(id, cost);
  }
  return known;
}

function findEntry(id: string, graph: Graph): (readonly [string, GraphNode])[] {
  const node = graph.get(id);
  return node ? [[id, node]] : [];
}

const edgesWithin = (graph: Graph) => (id: string) =>
  listEdges(graph.get(id)).filter((next) => graph.has(next));

const listEdges = (node: GraphNode | undefined): readonly string[] => {
  const { edges = [], onMaxVisits } = node ?? {};
  return onMaxVisits === undefined ? edges : [...edges, onMaxVisits];
};

const measureNode = (component: Graph, known: Costs): Costs =>
  new Map([...component].map(([id, { cost, edges }]) => [id, addCosts([cost, maxCost(edges, known)])]));

/** The costs from each node at which a run may enter the loop. */
function measureLoop(component: Graph, known: Costs): Costs {
  const nodes = [...component];
  const between = measureUnlimited(new Map(nodes.flatMap(asUnlimited)));
  const laps = nodes.map(([, { cost, edges, maxVisits }]) =>
    maxVisits === undefined ? noCost : multiplyCost(maxVisits, addCosts([cost, maxCost(edges, between)])),
  );
  const exits = nodes.flatMap(([, node]) => listEdges(node).filter((next) => !component.has(next)));
  const all = addCosts([...laps, maxCost(exits, known)]);
  return new Map(
    nodes.map(([id, { maxVisits }]) => {
      const first = maxVisits === undefined ? between.get(id) : undefined;
      return [id, addCosts([first ?? noCost, all])];
    }),
  );
}

/** A node that has no visit left costs nothing and leads on, if it has `on_max_visits`. */
function asUnlimited([id, node]: readonly [string, GraphNode]): (readonly [string, GraphNode])[] {
  const { maxVisits, onMaxVisits } = node;
  if (maxVisits === undefined) return [[id, node]];
  if (onMaxVisits === undefined) return [];
  return [[id, { cost: noCost, edges: [onMaxVisits], maxVisits: undefined, onMaxVisits: undefined }]];
}

/**
 * The costs of the paths that lie between two executions of nodes with `max_visits`. These paths are unbounded if the
 * nodes on them form a loop of their own.
 */
function measureUnlimited(unlimited: Graph): Costs {
  if (findComponents(unlimited.keys(), edgesWithin(unlimited)).every(({ isLoop }) => !isLoop))
    return findLongestPaths(unlimited.keys(), unlimited);
  const costs = [...unlimited.values()].map(({ cost }) => cost);
  const all = multiplyCost(Number.POSITIVE_INFINITY, addCosts(costs));
  return new Map([...unlimited.keys()].map((id) => [id, all]));
}
