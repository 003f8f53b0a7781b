// The longest path of a cursor through the nodes of a scope. A loop has one where `max_visits` bounds it; else only the limits of the run end it.
import { graphParts } from './cycles.ts';

/** What an execution, a path or a run uses at most; infinite where the text of the flow sets no bound. */
export interface Cost {
  readonly steps: number;
  readonly calls: number;
}

/** A node, as far as it counts here. */
export interface Stage {
  /** The cost of one execution. */
  readonly cost: Cost;
  readonly ways: readonly string[];
  readonly maxVisits: number | undefined;
}

type Stages = ReadonlyMap<string, Stage>;
type Costs = ReadonlyMap<string, Cost>;

const nothing: Cost = { steps: 0, calls: 0 };
export const endless: Cost = { steps: Number.POSITIVE_INFINITY, calls: Number.POSITIVE_INFINITY };

export const sum = (costs: readonly Cost[]): Cost =>
  costs.reduce((all, { steps, calls }) => ({ steps: all.steps + steps, calls: all.calls + calls }), nothing);

/** Nothing stays nothing, and endless no times is nothing. */
export const times = (count: number, { steps, calls }: Cost): Cost => ({
  steps: count === 0 || steps === 0 ? 0 : count * steps,
  calls: count === 0 || calls === 0 ? 0 : count * calls,
});

/** Steps and calls each at their most, which may be those of different paths. */
const most = (ids: readonly string[], costs: Costs): Cost =>
  ids.reduce((all, id) => {
    const { steps, calls } = costs.get(id) ?? nothing;
    return { steps: Math.max(all.steps, steps), calls: Math.max(all.calls, calls) };
  }, nothing);

export const longestPath = (start: string, stages: Stages): Cost =>
  longestPaths([start], stages).get(start) ?? nothing;

/** From each node that can be reached. */
function longestPaths(starts: Iterable<string>, stages: Stages): Costs {
  const known = new Map<string, Cost>();
  for (const { ids, isLoop } of graphParts(starts, edgesIn(stages))) {
    const part = new Map([...ids].flatMap((id) => entryOf(id, stages)));
    for (const [id, cost] of isLoop ? loopCosts(part, known) : costAlone(part, known)) known.set(id, cost);
  }
  return known;
}

const edgesIn = (stages: Stages) => (id: string) =>
  (stages.get(id)?.ways ?? []).filter((way) => stages.has(way));

function entryOf(id: string, stages: Stages): (readonly [string, Stage])[] {
  const stage = stages.get(id);
  return stage ? [[id, stage]] : [];
}

const costAlone = (part: Stages, known: Costs): Costs =>
  new Map([...part].map(([id, { cost, ways }]) => [id, sum([cost, most(ways, known)])]));

/** By the node at which the cursor enters the loop. */
function loopCosts(part: Stages, known: Costs): Costs {
  const stages = [...part];
  const free = new Map(stages.filter(([, { maxVisits }]) => maxVisits === undefined));
  const between = pathsBetween(free);
  const laps = stages.map(([, { cost, ways, maxVisits }]) =>
    maxVisits === undefined ? nothing : times(maxVisits, sum([cost, most(ways, between)])),
  );
  const out = stages.flatMap(([, { ways }]) => ways.filter((way) => !part.has(way)));
  const all = sum([...laps, most(out, known)]);
  return new Map(stages.map(([id]) => [id, sum([between.get(id) ?? nothing, all])]));
}

/** Between two executions of nodes with `max_visits`: the paths through the others, which end unless they go around by themselves. */
function pathsBetween(free: Stages): Costs {
  if (graphParts(free.keys(), edgesIn(free)).every(({ isLoop }) => !isLoop))
    return longestPaths(free.keys(), free);
  const all = times(Number.POSITIVE_INFINITY, sum([...free.values()].map(({ cost }) => cost)));
  return new Map([...free.keys()].map((id) => [id, all]));
}
