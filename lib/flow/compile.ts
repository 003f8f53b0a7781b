// Makes a checked flow ready to run: every node's templates compiled once, for as many runs as the process will see.
import type { JsonObject } from '#lib/json.ts';
import type { DeclaredConnections } from './connection.ts';
import { type Render, template } from './expression/template.ts';
import type { Flow, FlowLimits } from './flow.ts';
import { type FlowNode, typeNamed } from './nodes/index.ts';
import type { Catcher, Retry, RunNode, Surroundings } from './nodes/node-type.ts';

export interface CompiledFlow {
  readonly name: string;
  readonly start: string;
  readonly state: JsonObject;
  readonly input: JsonObject | undefined;
  readonly output: JsonObject | undefined;
  readonly limits: FlowLimits;
  readonly connections: DeclaredConnections;
  readonly nodes: ReadonlyMap<string, CompiledNode>;
}

export interface CompiledNode {
  readonly id: string;
  readonly type: string;
  readonly run: RunNode;
  readonly next: string | undefined;
  readonly assign: Assign | undefined;
  readonly retry: Retry | undefined;
  readonly catch: readonly CompiledCatcher[];
  readonly timeoutSeconds: number | undefined;
  readonly maxVisits: number | undefined;
}

/** Name and value of each variable of the state that changes. */
export type Assign = readonly (readonly [string, Render])[];

type CompiledCatcher = Pick<Catcher, 'on' | 'next'> & { readonly assign: Assign | undefined };

/** Expects a flow that has passed `checkFlow`; expressions themselves are compiled when they are first evaluated. */
export function compileFlow(flow: Flow): CompiledFlow {
  const around: Surroundings = { models: flow.models ?? {}, egress: flow.egress ?? [] };
  const nodes = Object.entries(flow.nodes).map(([id, node]) => [id, compiledNode(id, node, around)] as const);
  return {
    name: flow.name,
    start: flow.start,
    state: flow.state ?? {},
    input: flow.input,
    output: flow.output,
    limits: flow.limits ?? {},
    connections: flow.connections ?? {},
    nodes: new Map(nodes),
  };
}

export const isCompiled = (flow: Flow | CompiledFlow): flow is CompiledFlow => flow.nodes instanceof Map;

function compiledNode(id: string, node: FlowNode, around: Surroundings): CompiledNode {
  // `fail` has labels only: it neither goes on nor tries again.
  const {
    assign,
    retry,
    catch: catchers = [],
    timeout_seconds,
    max_visits,
  } = node.type === 'fail' ? {} : node;
  return {
    id,
    type: node.type,
    run: preparedNode(node, around),
    next: 'next' in node ? node.next : undefined,
    assign: compiledAssign(assign),
    retry,
    catch: catchers.map(({ on, next, assign }) => ({ on, next, assign: compiledAssign(assign) })),
    timeoutSeconds: timeout_seconds,
    maxVisits: max_visits,
  };
}

function preparedNode(node: FlowNode, around: Surroundings): RunNode {
  const type = typeNamed(node.type);
  if (type) return type.prepare(node, around);
  throw new Error(`The flow was not checked: it has a node of type ${node.type}.`);
}

const compiledAssign = (assign: JsonObject | undefined): Assign | undefined =>
  assign && Object.entries(assign).map(([name, value]) => [name, template(value)] as const);
