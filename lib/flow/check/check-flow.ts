// Decides whether a value is a valid flow, and says every mistake at once, each where it is. Run it wherever a flow comes in.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { jsonBytes } from '#lib/json/size.ts';
import { boundedMistake, mistakesMax } from '#lib/mistakes.ts';
import type { Flow } from '../definition/flow.ts';
import type { FlowNode } from '../definition/node-types.ts';
import { isList, isObject } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import type { CheckSurroundings } from '../nodes/node-type.ts';
import { schemaProblems } from '../schema/problems.ts';
import { type CheckBudget, CheckEnded, checkPatternWithin, checkWork, isFull } from './check-budget.ts';
import { expectationMistakes } from './expectations.ts';
import { expressionMistakes } from './expressions.ts';
import { graphMistakes } from './graph.ts';
import { headMistakes, headSchema } from './head.ts';
import type { Mistake, Warning } from './mistake.ts';
import { readJson } from './read-json.ts';
import { type ReadNodes, readNodes } from './read-nodes.ts';
import { readShape } from './shape.ts';
import { warningsOf } from './warnings.ts';

export type CheckedFlow =
  | {
      readonly ok: true;
      readonly flow: Flow;
      readonly warnings: readonly Warning[];
    }
  | {
      readonly ok: false;
      /** The first mistakes, of the `total` that were found until the check stopped. */
      readonly errors: readonly Mistake[];
      readonly total: number;
    };

/** `pointer` is an RFC 6901 pointer into the flow, `detail` says what was expected there. */
export function checkFlow(input: unknown): CheckedFlow {
  const { value, mistakes } = readJson(input);
  if (!isObject(value))
    return refused([...mistakes, { pointer: '', detail: 'expected a flow: a JSON object' }]);
  const bytes = jsonBytes(value, limits.flowBytes);
  if (bytes > limits.flowBytes) {
    return refused([{ pointer: '', detail: `expected a flow of at most ${limits.flowBytes} bytes of JSON` }]);
  }
  const found: Mistake[] = [...mistakes];
  try {
    return checkedFlow(value, found, checkWork(bytes));
  } catch (error) {
    if (error instanceof CheckEnded) return refused([...found.slice(0, mistakesMax - 1), error.mistake]);
    throw error;
  }
}

/** Stops where enough is wrong: what comes after would only follow from it. Adds to `found`, so that it is known when the work is used up. */
function checkedFlow(value: JsonObject, found: Mistake[], work: CheckBudget): CheckedFlow {
  const { nodes: _nodes, ...head } = value;
  const shape = readShape(headSchema, head, []);
  found.push(...shape.mistakes);
  if (isFull(found)) return refused(found, shape.unlisted);
  const read = readNodes(value, surroundingsOf(value, work), work);
  const around = headMistakes(head, read.nodes, work);
  found.push(...around.mistakes, ...read.mistakes);
  if (isFull(found)) return refused(found, around.unlisted + read.unlisted);
  const graph = graphMistakes(read);
  found.push(...graph.mistakes);
  if (isFull(found)) return refused(found, graph.unlisted);
  const expressions = expressionMistakes(read.nodes, head, work);
  const expectations = expectationMistakes(read.nodes, head, work);
  found.push(...expressions.errors, ...expectations.errors);
  if (found.length > 0 || !shape.ok) return refused(found, expressions.unlisted + expectations.unlisted);
  const flow = { ...shape.value, nodes: nodesOf(read) };
  const warnings = [...expressions.warnings, ...expectations.warnings, ...warningsOf(flow, read)];
  return { ok: true, flow, warnings: warnings.slice(0, warningsMax).map(boundedMistake) };
}

/** Beside a flow that is registered. */
const warningsMax = 100;

/** Those of the flow itself; the others are inside them. */
function nodesOf({ blocks: [root] }: ReadNodes): Record<string, FlowNode> {
  const nodes: Record<string, FlowNode> = {};
  for (const [id, { node }] of root?.nodes ?? []) if (node) nodes[id] = node;
  return nodes;
}

const refused = (errors: readonly Mistake[], unlisted = 0): CheckedFlow => ({
  ok: false,
  errors: errors.slice(0, mistakesMax).map(boundedMistake),
  total: errors.length + unlisted,
});

/** What is declared, as far as it is readable: a mistake there is told there, not again at each use. */
function surroundingsOf(flow: JsonObject, work: CheckBudget): CheckSurroundings {
  const models = isObject(flow.models) ? flow.models : {};
  const connections = isObject(flow.connections) ? flow.connections : {};
  return {
    models: Object.fromEntries(Object.keys(models).map((name) => [name, {}])),
    connections: Object.fromEntries(
      Object.entries(connections).map(([name, declared]) => [
        name,
        isObject(declared) ? texts(declared.hosts) : [],
      ]),
    ),
    schemaProblems: (schema) => schemaProblems(schema, checkPatternWithin(work)),
    egress: texts(flow.egress),
  };
}

const texts = (value: Json | undefined): readonly string[] =>
  isList(value) ? value.filter((item) => typeof item === 'string') : [];
