// The graph of a flow, read from its document, against what the node types declare.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { buildGraph, type Graph, readGraph } from '#lib/drawing/graph.ts';
import { dark, light } from '#lib/drawing/style.ts';
import { findNodeType, nodeTypes } from '#lib/flow/definition/node-types.ts';
import { sample, sampleNames } from '../flow/sample-flow.ts';

const flows = sampleNames.map((name) => sample(name));

test.each(sampleNames)('the graph of %s has the targets and blocks that its node types declare', (name) => {
  const { nodes, start } = sample(name);
  const graph = buildGraph({ start, nodes });
  for (const [id, node] of Object.entries(nodes)) {
    const type = findNodeType(node.type);
    const targets = (type?.targets?.(node) ?? []).map((target) => target.id);
    const drawn = graph.edges.filter(
      ({ from, kind }) => from === id && (kind === 'branch' || kind === 'timeout'),
    );
    expect(drawn.map(({ to }) => to)).toEqual(targets);
    const inside = graph.nodes.find((each) => each.id === id)?.inside ?? [];
    expect(inside.map((block) => block.graph.start)).toEqual(
      (type?.blocks?.(node) ?? []).map((block) => block.start),
    );
  }
});

test('every node type that declares targets or blocks is among these flows', () => {
  const used = new Set(flows.flatMap((flow) => listTypes(buildGraph(flow))));
  const declaring = Object.entries(nodeTypes).filter(([, type]) => 'targets' in type || 'blocks' in type);
  expect(declaring.length).toBeGreaterThan(3);
  expect(declaring.map(([name]) => name).filter((name) => !used.has(name))).toEqual([]);
});

const listTypes = ({ nodes }: Graph): readonly string[] =>
  nodes.flatMap(({ type, inside }) => [type, ...inside.flatMap(({ graph }) => listTypes(graph))]);

test('a document that is no flow has no graph', () => {
  expect(readGraph({ nodes: {} })).toBeUndefined();
});

test('the families of nodes have the same colours in the console', () => {
  const tokens = readFileSync(new URL('../../../lib/console/styles/tokens.css', import.meta.url), 'utf8');
  for (const family of ['model', 'call', 'logic', 'person', 'end', 'fail'] as const)
    expect(tokens).toContain(`--node-${family}: light-dark(${light[family]}, ${dark[family]});`);
});
