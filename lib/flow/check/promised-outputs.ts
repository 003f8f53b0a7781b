// Checks mocked outputs against what the fields of the node guarantee, such as `output_schema`. A mock that does not
// match is one that the node could never give.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { pointerTo } from '#lib/json/pointer.ts';
import { listAssigned } from '../agent/agent.ts';
import type { FlowNode } from '../definition/node-types.ts';
import { linearPattern } from '../expression/regex.ts';
import { isList, isObject } from '../format/json-value.ts';
import { NodeError } from '../format/node-error.ts';
import { someNames } from '../format/some-names.ts';
import { hasTemplate } from '../format/template-segments.ts';
import { type CheckPattern, schemaProblems } from '../schema/problems.ts';
import { type Fault, findFaultsIn, patternTest } from '../schema/validate.ts';
import type { Path } from './mistake.ts';

/** Returns the faults of an output, with pointers from its own root. */
export type OutputCheck = (output: Json, node: FlowNode | undefined) => readonly Fault[];

/** Create one for all mocks of a flow: they share a step budget, because the author waits while the flow is registered. */
export function createOutputCheck(checkPattern: CheckPattern): OutputCheck {
  const checkSchema = createSchemaCheck(checkPattern);
  return (output, node) => {
    switch (node?.type) {
      case 'llm':
        return checkSchema(output, [], { schema: node.output_schema, name: 'an output_schema' });
      case 'agent':
        return [...checkData(node, output, checkSchema), ...checkCaptured(node, output, checkSchema)];
      case 'ask':
        return [
          ...checkSchema(output, [], { schema: node.schema, name: 'a schema' }),
          ...checkSchema(output, [], { schema: toChoicesSchema(node), name: 'choices' }),
        ];
      case 'wait':
        return checkSchema(isObject(output) ? (output.data ?? null) : null, ['data'], {
          schema: node.schema,
          name: 'a schema',
        });
      default:
        return [];
    }
  };
}

type NodeOfType<Name extends FlowNode['type']> = Extract<FlowNode, { readonly type: Name }>;

function checkData(
  { output_schema: schema, tools = [], agents = [] }: NodeOfType<'agent'>,
  output: Json,
  checkSchema: SchemaCheck,
): readonly Fault[] {
  const data = isObject(output) ? output.data : undefined;
  // The result of a tool that ends the agent can be data, too.
  if (!schema && [...tools, ...agents].some(({ ends }) => ends === true)) return [];
  if (data !== undefined) return checkSchema(data, ['data'], { schema, name: 'an output_schema' });
  return schema ? [{ pointer: '', detail: 'expected the property "data", which fits output_schema' }] : [];
}

/** `captured` is optional in a mock. */
function checkCaptured(node: NodeOfType<'agent'>, output: Json, checkSchema: SchemaCheck): readonly Fault[] {
  const captured = (isObject(output) ? output.captured : undefined) ?? {};
  if (!isObject(captured))
    return [{ pointer: '/captured', detail: 'expected an object: the variables that the agent captures' }];
  const { capture = {} } = node;
  const assigned = findAssigned(node);
  return Object.entries(captured)
    .slice(0, capturedMax)
    .flatMap(([name, value]) => {
      const path = ['captured', name];
      const declared = Object.hasOwn(capture, name) ? capture[name] : undefined;
      if (declared)
        return checkSchema(value, path, { schema: declared.schema, name: 'a schema for it in capture' });
      if (assigned.has(name)) return [];
      const known =
        someNames([...Object.keys(capture), ...assigned]) || 'none, because the node has no `capture`';
      return [{ pointer: pointerTo(path), detail: `unknown variable "${name}": expected ${known}` }];
    });
}

/** A flow may have many mocks of one node. */
const assignedBy = new WeakMap<NodeOfType<'agent'>, ReadonlySet<string>>();

function findAssigned(node: NodeOfType<'agent'>): ReadonlySet<string> {
  const known = assignedBy.get(node) ?? new Set(listAssigned(node.tools, node.agents));
  assignedBy.set(node, known);
  return known;
}

/** Each variable more could only be one more mistake. */
const capturedMax = 1000;

/** Returns undefined for choices that are known only in the run. */
function toChoicesSchema({ choices }: NodeOfType<'ask'>): JsonObject | undefined {
  return isList(choices) && !choices.some(hasTemplate) ? { enum: choices } : undefined;
}

interface NodeSchema {
  readonly schema: JsonObject | undefined;
  /** The field of the node, for messages. */
  readonly name: string;
}

type SchemaCheck = (value: Json, path: Path, nodeSchema: NodeSchema) => readonly Fault[];

/** Step budget for all mocks of a flow. */
const unitsMax = 5_000_000;

/** Finds nothing with a schema that has a mistake, which is reported elsewhere, or once the budget is used up. */
function createSchemaCheck(checkPattern: CheckPattern): SchemaCheck {
  const pattern = patternTest(linearPattern);
  const budget = { left: unitsMax };
  const validSchemas = new Map<JsonObject, boolean>();
  const isValid = (schema: JsonObject) => {
    const known = validSchemas.get(schema) ?? schemaProblems(schema, checkPattern).length === 0;
    validSchemas.set(schema, known);
    return known;
  };
  return (value, path, { schema, name }) => {
    if (!schema || !isValid(schema)) return [];
    try {
      return findFaultsIn(schema, value, pattern, budget).map(({ pointer, detail }) => ({
        pointer: `${pointerTo(path)}${pointer}`,
        detail: `${detail}: the node has ${name}`,
      }));
    } catch (error) {
      if (error instanceof NodeError) return [];
      throw error;
    }
  };
}
