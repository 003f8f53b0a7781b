// Warns about variables that are set inside a `parallel` or a `map` and lost at the end of the scope, which has a copy
// of the state: nothing in the scope reads them, or nodes after it read what only the scope sets.
import { isObject } from '../format/json-value.ts';
import { findAssignments } from './assignments.ts';
import { type CheckBudget, spendOnWarnings } from './check-budget.ts';
import { findReachable } from './graph.ts';
import type { Warning } from './mistake.ts';
import type { ReadBlock, ReadNode } from './read-nodes.ts';
import { addWarning, newWarningList } from './warning-list.ts';

type Nodes = ReadonlyMap<string, ReadNode>;

/** The ids of the nodes that read each variable; those that read the whole state are under the empty name. */
export type StateReads = ReadonlyMap<string, Set<string>>;

/** For the variables that a scope inside the flow sets. */
export function newStateReads(nodes: Nodes): StateReads {
  const reads = new Map<string, Set<string>>([['', new Set()]]);
  for (const read of nodes.values())
    if (read.block.host)
      for (const { name } of findAssignments(read)) if (!reads.has(name)) reads.set(name, new Set());
  return reads;
}

/** To look at one node that reads a variable. */
const readUnits = 4;
/** To follow the edges from a node. */
const reachUnits = 2_000;

export function findLostAssignments(
  nodes: Nodes,
  reads: StateReads,
  budget: CheckBudget,
): readonly Warning[] {
  const warnings = newWarningList();
  const judged = new Map<ReadBlock, Set<string>>();
  const setters = findSetters(nodes);
  for (const read of nodes.values()) {
    const { block } = read;
    if (!block.host) continue;
    const known = judged.get(block) ?? new Set();
    judged.set(block, known);
    for (const { name, path } of findAssignments(read)) {
      if (known.has(name)) continue;
      known.add(name);
      if (isMerged(name, block, nodes)) continue;
      const readers = [...(reads.get(name) ?? [])];
      const all = [...(reads.get('') ?? []), ...readers];
      if (!spendOnWarnings(budget, (all.length + 1) * readUnits)) return warnings.listed;
      const why = explainLoss(name, block, {
        nodes,
        readers,
        all,
        setters: setters.get(name) ?? new Set(),
        budget,
      });
      if (why !== undefined)
        addWarning(
          warnings,
          { code: 'assignment_lost', path, subject: name },
          () => `state.${name} is set in a copy of the state that ends with this scope, and ${why}`,
        );
    }
  }
  return warnings.listed;
}

/** Whether the node around the scope merges the variable into the state around it. */
function isMerged(name: string, { host }: ReadBlock, nodes: Nodes): boolean {
  const raw = host && nodes.get(host.id)?.raw;
  return isObject(raw) && isObject(raw.merge) && Object.hasOwn(raw.merge, name);
}

/** The scopes that set each variable. */
function findSetters(nodes: Nodes): ReadonlyMap<string, Set<ReadBlock>> {
  const setters = new Map<string, Set<ReadBlock>>();
  for (const read of nodes.values())
    for (const { name } of findAssignments(read))
      setters.set(name, (setters.get(name) ?? new Set()).add(read.block));
  return setters;
}

interface Uses {
  readonly nodes: Nodes;
  /** The nodes that read the variable by its name, and with them those that read the whole state. */
  readonly readers: readonly string[];
  readonly all: readonly string[];
  readonly setters: ReadonlySet<ReadBlock>;
  readonly budget: CheckBudget;
}

const cure =
  'expected the value in the output of the last node of the scope, which the nodes after it can read, or the variable in `merge` of the node around the scope';

function explainLoss(name: string, block: ReadBlock, uses: Uses): string | undefined {
  const blocks = uses.all.map((id) => uses.nodes.get(id)?.block);
  if (!blocks.some((reader) => reader && isWithin(reader, block)))
    return `nothing in the scope reads it: ${cure}`;
  const outside = uses.readers.find((id) => readsAfter(id, block, uses));
  return outside === undefined
    ? undefined
    : `"${outside}", after it, reads the value that state.${name} had before: ${cure}`;
}

const isWithin = (inner: ReadBlock, block: ReadBlock): boolean =>
  inner === block || (inner.host !== undefined && isWithin(inner.host.block, block));

/** Whether a node of an outer scope, in which nothing sets the variable, comes after the block. */
function readsAfter(id: string, block: ReadBlock, { nodes, setters, budget }: Uses): boolean {
  const outer = nodes.get(id)?.block;
  if (!outer || outer === block || !isWithin(block, outer) || chain(outer).some((one) => setters.has(one)))
    return false;
  const container = chain(block).find((one) => one.host?.block === outer)?.host?.id;
  if (container === undefined || container === id || !spendOnWarnings(budget, reachUnits)) return false;
  return findReachable(container, outer.nodes).has(id);
}

const chain = (block: ReadBlock): readonly ReadBlock[] =>
  block.host ? [block, ...chain(block.host.block)] : [block];
