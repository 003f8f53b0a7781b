// The picture of a flow that is being edited: what can be drawn of it, and the marks of its problems and tests. Pure.
import { type Graph, listGraphNodes, readGraph } from '#lib/drawing/graph.ts';
import type { TestResult } from '#lib/flow/testing/report.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { parsePointer } from '#lib/json/pointer.ts';
import { type Marks, markedEdge, type NodeMark } from '../picture/marks.ts';
import type { Problem } from './flow-text.ts';
import { words } from './words.ts';

/** Undefined for what cannot be drawn, such as a flow without the node that it starts with. */
export function readDrawable(flow: JsonObject): Graph | undefined {
  try {
    const graph = readGraph(flow);
    return graph && withoutLooseEnds(graph);
  } catch {
    // A flow with mistakes can have anything anywhere.
    return undefined;
  }
}

function withoutLooseEnds({ start, nodes, edges }: Graph): Graph | undefined {
  const ids = new Set(nodes.map(({ id }) => id));
  if (!ids.has(start)) return undefined;
  return {
    start,
    nodes: nodes.map((node) => ({
      ...node,
      inside: node.inside.flatMap(({ name, graph }) => {
        const drawable = withoutLooseEnds(graph);
        return drawable ? [{ name, graph: drawable }] : [];
      }),
    })),
    edges: edges.filter(({ to }) => ids.has(to)),
  };
}

/** The innermost node that a pointer leads into. */
export function nodeOf(pointer: string): string | undefined {
  const path = parsePointer(pointer);
  const at = path.findLastIndex((step, index) => step === 'nodes' && isBlock(path.slice(0, index)));
  return at === -1 ? undefined : path[at + 1];
}

/** Elsewhere, `nodes` may be any name. */
const isBlock = (path: readonly string[]): boolean =>
  path.length === 0 || path.at(-1) === 'body' || path.at(-2) === 'branches';

export function markProblems(problems: readonly Problem[]): Marks {
  const byNode = Map.groupBy(problems, ({ pointer }) => nodeOf(pointer));
  const nodes = new Map<string, NodeMark>();
  for (const [id, found] of byNode) {
    if (id === undefined) continue;
    const mistakes = found.filter(({ severity }) => severity === 'error').length;
    const label = words.found(mistakes, found.length - mistakes);
    nodes.set(id, { label, text: label, tone: mistakes > 0 ? 'bad' : 'wait', icon: 'warning' });
  }
  return { nodes, edges: new Map() };
}

export function markTest(graph: Graph, { path, passed }: TestResult): Marks {
  const nodes = new Map<string, NodeMark>();
  for (const id of new Set(path)) {
    const steps = path.flatMap((each, index) => (each === id ? [index + 1] : []));
    const text = steps.length > 3 ? `${steps[0]} … ${steps.at(-1)}` : steps.join(', ');
    nodes.set(id, { label: words.inPath(steps), text, tone: 'good', icon: 'done' });
  }
  const last = passed ? undefined : path.at(-1);
  const failed = last === undefined ? undefined : nodes.get(last);
  if (last !== undefined && failed) nodes.set(last, { ...failed, tone: 'bad', icon: 'failed' });
  const steps = new Set(path.slice(1).map((to, index) => `${path[index]} ${to}`));
  const taken = listEdges(graph).filter(({ from, to }) => steps.has(`${from} ${to}`));
  return { nodes, edges: new Map(taken.map((edge) => [markedEdge(edge), 'taken'])) };
}

const listEdges = (graph: Graph): Graph['edges'] => [
  ...graph.edges,
  ...listGraphNodes(graph).flatMap(({ inside }) => inside.flatMap((block) => block.graph.edges)),
];
