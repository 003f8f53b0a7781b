// Decides whether a value is a valid flow, and says every mistake at once, each where it is. Run it wherever a flow comes in.
import type { Json, JsonObject } from '#lib/json.ts';
import { expressionMistakes } from './check/expressions.ts';
import { graphMistakes, type ReadNode } from './check/graph.ts';
import { headMistakes } from './check/head.ts';
import { type Mistake, pointerOf } from './check/mistake.ts';
import { readJson } from './check/read-json.ts';
import { readShape } from './check/shape.ts';
import { type Flow, flowSchema } from './flow.ts';
import { isObject, jsonBytes } from './json-value.ts';
import { limits } from './limits.ts';
import { type FlowNode, nodeTypes, plannedTypes, typeNamed } from './nodes/index.ts';
import { type CheckSurroundings, nodeIdPattern } from './nodes/node-type.ts';
import { schemaProblems } from './schema/problems.ts';

export type CheckedFlow =
  | { readonly ok: true; readonly flow: Flow; readonly warnings: readonly Mistake[] }
  | { readonly ok: false; readonly errors: readonly Mistake[] };

/** More are not listed: nobody reads them, and they could be as long as the flow many times over. */
const mistakesMax = 100;

/** `pointer` is an RFC 6901 pointer into the flow, `detail` says what was expected there. */
export function checkFlow(input: unknown): CheckedFlow {
  const { value, mistakes } = readJson(input);
  if (!isObject(value))
    return refused([...mistakes, { pointer: '', detail: 'expected a flow: a JSON object' }]);
  if (jsonBytes(value, limits.flowBytes) > limits.flowBytes) {
    return refused([{ pointer: '', detail: `expected a flow of at most ${limits.flowBytes} bytes of JSON` }]);
  }
  const { nodes: _nodes, ...head } = value;
  const { nodes, mistakes: nodeMistakes } = readNodes(value.nodes, surroundingsOf(value));
  const expressions = expressionMistakes(nodes, head);
  const errors = [
    ...mistakes,
    ...headMistakes(head, nodes),
    ...nodeMistakes,
    ...graphMistakes(value.start, nodes),
    ...expressions.errors,
  ];
  if (errors.length > 0) return refused(errors);
  const flow = flowSchema.safeParse(value);
  if (!flow.success) return refused([{ pointer: '', detail: 'expected a flow of version 1' }]);
  return { ok: true, flow: flow.data, warnings: expressions.warnings };
}

const refused = (errors: readonly Mistake[]): CheckedFlow => ({
  ok: false,
  errors: errors.slice(0, mistakesMax),
});

/** What is declared, as far as it is readable: a mistake there is told there, not again at each use. */
function surroundingsOf(flow: JsonObject): CheckSurroundings {
  const models = isObject(flow.models) ? flow.models : {};
  return {
    models: Object.fromEntries(Object.keys(models).map((name) => [name, {}])),
    schemaProblems,
    egress: Array.isArray(flow.egress) ? flow.egress.filter((host) => typeof host === 'string') : [],
  };
}

function readNodes(nodes: Json | undefined, around: CheckSurroundings) {
  const mistakes: Mistake[] = [];
  const read = new Map<string, ReadNode>();
  if (!isObject(nodes) || Object.keys(nodes).length === 0) {
    return {
      nodes: read,
      mistakes: [{ pointer: '/nodes', detail: 'expected an object with at least one node' }],
    };
  }
  const ids = Object.keys(nodes);
  if (ids.length > limits.nodesMax) {
    return {
      nodes: read,
      mistakes: [
        { pointer: '/nodes', detail: `expected at most ${limits.nodesMax} nodes, got ${ids.length}` },
      ],
    };
  }
  for (const id of ids) {
    if (!nodeIdPattern.test(id)) {
      mistakes.push({
        pointer: pointerOf(['nodes', id]),
        detail: 'expected a node id: a lower-case letter, then up to 63 of a-z, 0-9 and _',
      });
    }
    const node = readNode(id, nodes[id], around, mistakes);
    read.set(id, { raw: nodes[id] ?? null, node });
  }
  return { nodes: read, mistakes };
}

function readNode(
  id: string,
  raw: Json | undefined,
  around: CheckSurroundings,
  mistakes: Mistake[],
): FlowNode | undefined {
  const path = ['nodes', id];
  if (!isObject(raw)) return report(mistakes, path, 'expected a node: an object with a `type`');
  const type = typeNamed(raw.type);
  if (!type) return report(mistakes, [...path, 'type'], typeMistake(raw.type));
  const shape = readShape(type.schema, raw, path);
  mistakes.push(...shape.mistakes);
  if (!shape.ok) return undefined;
  type.check?.(shape.value, around, (steps, detail) => report(mistakes, [...path, ...steps], detail));
  return shape.value;
}

function typeMistake(name: Json | undefined): string {
  const expected = `expected one of ${Object.keys(nodeTypes).join(', ')}`;
  if (typeof name !== 'string') return expected;
  if (plannedTypes.includes(name)) return `node type ${name} is not supported yet: ${expected}`;
  return `unknown node type "${name.slice(0, 64)}": ${expected}`;
}

function report(mistakes: Mistake[], path: readonly (string | number)[], detail: string): undefined {
  mistakes.push({ pointer: pointerOf(path), detail });
}
