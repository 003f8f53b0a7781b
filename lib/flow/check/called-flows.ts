// Finds where a flow names the flows that it calls: in `flow` nodes, in tools of agents, and in guardrails.
import { pointerTo } from '#lib/json/pointer.ts';
import { listNodes, requireType } from '../definition/compile.ts';
import type { Flow } from '../definition/flow.ts';
import type { FlowNode } from '../definition/node-types.ts';
import { findGuardFlows } from '../nodes/guardrails-field.ts';
import type { Path } from './mistake.ts';

export interface FlowReference {
  readonly flowid: string;
  /** RFC 6901, from the flow's own root. */
  readonly pointer: string;
}

/** The first references to at most `max` flows, one for each flow. */
export function findCalledFlows({ nodes }: Flow, max: number): readonly FlowReference[] {
  const first = new Map<string, FlowReference>();
  for (const { flowid, path } of findInNodes(nodes, ['nodes'])) {
    if (first.size === max) break;
    if (!first.has(flowid)) first.set(flowid, { flowid, pointer: pointerTo(path) });
  }
  return [...first.values()];
}

interface Found {
  readonly flowid: string;
  readonly path: Path;
}

function* findInNodes(nodes: Readonly<Record<string, FlowNode>>, path: Path): Generator<Found, void> {
  for (const [id, node] of Object.entries(nodes)) {
    const inNode = [...path, id];
    if (node.type === 'flow') yield { flowid: node.flowid, path: [...inNode, 'flowid'] };
    if (node.type === 'llm' || node.type === 'agent')
      for (const { flowid, path: inGuard } of findGuardFlows(node))
        yield { flowid, path: [...inNode, ...inGuard] };
    if (node.type === 'agent') {
      yield* findInTools(node.tools, [...inNode, 'tools']);
      for (const [index, { tools }] of (node.agents ?? []).entries())
        yield* findInTools(tools, [...inNode, 'agents', index, 'tools']);
    }
    for (const block of requireType(node).blocks?.(node) ?? [])
      yield* findInNodes(listNodes(block), [...inNode, ...block.path, 'nodes']);
  }
}

type Tools = Extract<FlowNode, { readonly type: 'agent' }>['tools'];

function* findInTools(tools: Tools = [], path: Path): Generator<Found, void> {
  for (const [index, { flow }] of tools.entries())
    if (flow !== undefined) yield { flowid: flow, path: [...path, index, 'flow'] };
}
