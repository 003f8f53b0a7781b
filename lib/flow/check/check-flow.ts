// Decides whether a value is a valid flow, and lists its mistakes. Every flow that a caller sends passes this check.
import { findSyntaxMistake } from '#lib/code/syntax.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { jsonBytes } from '#lib/json/size.ts';
import { addMistake, boundedMistake, type MistakeList, newMistakeList } from '#lib/mistakes.ts';
import type { Flow } from '../definition/flow.ts';
import type { FlowNode } from '../definition/node-types.ts';
import { isList, isObject } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import type { CheckSurroundings, DeclaredUse } from '../nodes/node-type.ts';
import { schemaProblems } from '../schema/problems.ts';
import {
  type CheckBudget,
  CheckEnded,
  type CheckState,
  checkPatternWithin,
  findNearName,
  isFull,
  newCheckBudget,
  spendCheckBudget,
} from './check-budget.ts';
import { checkExpectations } from './expectations.ts';
import { checkExpressions } from './expressions.ts';
import { checkGraph } from './graph.ts';
import { checkHead, headSchema } from './head.ts';
import { checkMerges } from './merges.ts';
import type { Mistake, Warning } from './mistake.ts';
import { readJson } from './read-json.ts';
import { type ReadNodes, readNodes } from './read-nodes.ts';
import { warnOfRoundedNumbers } from './rounded-numbers.ts';
import { readShape } from './shape.ts';
import { newWarningList, warningsMax } from './warning-list.ts';
import { findWarnings } from './warnings.ts';

export type CheckedFlow =
  | {
      readonly ok: true;
      readonly flow: Flow;
      readonly warnings: readonly Warning[];
    }
  | {
      readonly ok: false;
      /** The first of the `total` mistakes that were found until the check stopped. */
      readonly errors: readonly Mistake[];
      readonly total: number;
    };

/** `pointer` is an RFC 6901 pointer into the flow, `detail` says what was expected there. */
export function checkFlow(input: unknown): CheckedFlow {
  const mistakes = newMistakeList();
  const value = readJson(input, mistakes);
  if (!isObject(value)) {
    addMistake(mistakes, '', 'expected a flow: a JSON object');
    return refuse(mistakes);
  }
  const bytes = jsonBytes(value, limits.flowBytes);
  if (bytes > limits.flowBytes) {
    const tooLarge = newMistakeList();
    addMistake(tooLarge, '', `expected a flow of at most ${limits.flowBytes} bytes of JSON`);
    return refuse(tooLarge);
  }
  try {
    return checkParts(value, mistakes, newCheckBudget(bytes));
  } catch (error) {
    if (!(error instanceof CheckEnded)) throw error;
    // With a full list the check has done its work: the other mistakes were only being counted.
    if (!isFull(mistakes)) addMistake(mistakes, error.path, error.message);
    return refuse(mistakes);
  }
}

/** Stops when the list is full: most mistakes of the later steps would only follow from those in the list. */
function checkParts(value: JsonObject, mistakes: MistakeList, budget: CheckBudget): CheckedFlow {
  const { nodes: _nodes, ...head } = value;
  const shape = readShape(headSchema, head, [], { mistakes, budget });
  if (isFull(mistakes)) return refuse(mistakes);
  const read = readNodes(value, findDeclarations(value, { mistakes, budget }), { mistakes, budget });
  checkHead(head, read.nodes, { mistakes, budget });
  if (isFull(mistakes)) return refuse(mistakes);
  checkGraph(read, { mistakes, budget });
  checkMerges(read, head.state, { mistakes, budget });
  if (isFull(mistakes)) return refuse(mistakes);
  const warnings = [
    ...checkExpressions(read.nodes, head, { mistakes, budget }),
    ...checkExpectations(read.nodes, head, { mistakes, budget }),
  ];
  if (mistakes.total > 0 || !shape) return refuse(mistakes);
  const flow = { ...shape, nodes: collectNodes(read) };
  warnings.push(...findWarnings(flow, read), ...findRoundedNumbers(value));
  return { ok: true, flow, warnings: warnings.slice(0, warningsMax).map(boundedMistake) };
}

function findRoundedNumbers(value: JsonObject): readonly Warning[] {
  const warnings = newWarningList();
  warnOfRoundedNumbers(value, warnings);
  return warnings.listed;
}

/** The nodes of the flow itself. Those of other scopes are inside them. */
function collectNodes({ blocks: [root] }: ReadNodes): Record<string, FlowNode> {
  const nodes: Record<string, FlowNode> = {};
  for (const [id, { node }] of root?.nodes ?? []) if (node) nodes[id] = node;
  return nodes;
}

const refuse = ({ listed, total }: MistakeList): CheckedFlow => ({ ok: false, errors: listed, total });

/** For each character of JavaScript: 0.25 µs, which many small methods take. */
const codeUnits = 10;

/** The declarations as far as they are readable: a mistake in one is listed once, and not again at each use. */
function findDeclarations(flow: JsonObject, check: CheckState): CheckSurroundings {
  const models = isObject(flow.models) ? flow.models : {};
  const connections = isObject(flow.connections) ? flow.connections : {};
  return {
    models: Object.fromEntries(Object.entries(models).map(([name, model]) => [name, readProvider(model)])),
    connections: Object.fromEntries(
      Object.entries(connections).map(([name, declared]) => [name, readUse(declared)]),
    ),
    schemaProblems: (schema) => schemaProblems(schema, checkPatternWithin(check.budget)),
    findSyntaxMistake: (code) => {
      spendCheckBudget(check.budget, code.length * codeUnits);
      return findSyntaxMistake(code);
    },
    egress: filterTexts(flow.egress),
    findNearName: (name, known) => findNearName(check, name, known),
  };
}

const readProvider = (model: Json) =>
  isObject(model) && typeof model.provider === 'string' ? { provider: model.provider } : {};

function readUse(declared: Json): DeclaredUse {
  const { hosts, aws } = isObject(declared) ? declared : {};
  return {
    hosts: filterTexts(hosts),
    ...(isObject(aws) && { aws: { services: filterTexts(aws.services), regions: filterTexts(aws.regions) } }),
  };
}

const filterTexts = (value: Json | undefined): readonly string[] =>
  isList(value) ? value.filter((item) => typeof item === 'string') : [];
