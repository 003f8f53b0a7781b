// Random graphs as a valid flow can have them: every node is reachable, and further edges lead from any node
// to any node.
import fc from 'fast-check';
import type { Graph, GraphEdge, GraphNode } from '#lib/drawing/graph.ts';

const text = fc.oneof(
  fc.constantFrom('', 'default', "nodes.approve = 'no'", 'state.tries < 3 and $exists(nodes.order.body)'),
  fc.string({ unit: 'binary', maxLength: 120 }),
);
const title = fc.option(text, { nil: undefined });
const parts = fc.array(text, { maxLength: 3 });
const kind = fc.constantFrom<GraphEdge['kind']>('next', 'branch', 'catch', 'timeout', 'visits');

/** An arbitrary graph with a maximum number of nodes and a maximum depth of blocks. */
export function anyGraph(nodesMax: number, depth: number, prefix = 'n'): fc.Arbitrary<Graph> {
  return fc.integer({ min: 1, max: nodesMax }).chain((count) => {
    const ids = Array.from({ length: count }, (_, index) => `${prefix}${index}`);
    const from = (candidates: readonly string[], to: fc.Arbitrary<string>) =>
      fc.record({ from: fc.constantFrom(...candidates), to, kind, label: text });
    const entries = ids.slice(1).map((id, index) => from(ids.slice(0, index + 1), fc.constant(id)));
    const more = fc.array(from(ids, fc.constantFrom(...ids)), { maxLength: count });
    return fc.record({
      start: fc.constant(`${prefix}0`),
      nodes: fc.tuple(...ids.map((id) => anyNode(id, depth))),
      edges: fc.tuple(fc.tuple(...entries), more).map((edges) => edges.flat()),
    });
  });
}

function anyNode(id: string, depth: number): fc.Arbitrary<GraphNode> {
  const type = fc.constantFrom('llm', 'parallel');
  if (depth === 0) return fc.record({ id: fc.constant(id), type, title, parts, inside: fc.constant([]) });
  const name = fc.constantFrom('left', 'each item');
  const block = fc.record({ name, graph: anyGraph(4, depth - 1, `${id}_`) });
  const none = { weight: 3, arbitrary: fc.constant([]) };
  return fc.record({
    ...{ id: fc.constant(id), type, title, parts },
    inside: fc.oneof(none, fc.array(block, { minLength: 1, maxLength: 3 })),
  });
}
