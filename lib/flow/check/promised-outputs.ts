// What the fields of a node promise of its output: a mock that breaks it is one that the node could never give.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { pointerTo } from '#lib/json/pointer.ts';
import type { FlowNode } from '../definition/node-types.ts';
import { linearPattern } from '../expression/regex.ts';
import { isList, isObject } from '../format/json-value.ts';
import { NodeError } from '../format/node-error.ts';
import { someNames } from '../format/some-names.ts';
import { hasTemplate } from '../format/template-segments.ts';
import { type CheckPattern, schemaProblems } from '../schema/problems.ts';
import { type Fault, findFaultsIn, patternTest } from '../schema/validate.ts';
import type { Path } from './mistake.ts';

/** With pointers from the output's own root. */
export type BrokenPromises = (output: Json, node: FlowNode | undefined) => readonly Fault[];

/** For all mocks of a flow, which share the work that may be done: it is registered while its author waits. */
export function findsBrokenPromises(checkPattern: CheckPattern): BrokenPromises {
  const misfits = findsMisfits(checkPattern);
  return (output, node) => {
    switch (node?.type) {
      case 'llm':
        return misfits(output, [], { schema: node.output_schema, what: 'an output_schema' });
      case 'agent':
        return [...ofData(node, output, misfits), ...ofCaptured(node, output, misfits)];
      case 'ask':
        return [
          ...misfits(output, [], { schema: node.schema, what: 'a schema' }),
          ...misfits(output, [], { schema: literalChoices(node), what: 'choices' }),
        ];
      default:
        return [];
    }
  };
}

type Typed<Name extends FlowNode['type']> = Extract<FlowNode, { readonly type: Name }>;

function ofData({ output_schema }: Typed<'agent'>, output: Json, misfits: Misfits): readonly Fault[] {
  const data = isObject(output) ? output.data : undefined;
  if (data !== undefined) return misfits(data, ['data'], { schema: output_schema, what: 'an output_schema' });
  return output_schema
    ? [{ pointer: '', detail: 'expected the property "data", which fits output_schema' }]
    : [];
}

/** A mock need not say that nothing was captured. */
function ofCaptured({ capture = {} }: Typed<'agent'>, output: Json, misfits: Misfits): readonly Fault[] {
  const captured = (isObject(output) ? output.captured : undefined) ?? {};
  if (!isObject(captured))
    return [{ pointer: '/captured', detail: 'expected an object: the variables that the agent captures' }];
  return Object.entries(captured)
    .slice(0, capturedMax)
    .flatMap(([name, value]) => {
      const path = ['captured', name];
      const declared = Object.hasOwn(capture, name) ? capture[name] : undefined;
      if (declared)
        return misfits(value, path, { schema: declared.schema, what: 'a schema for it in capture' });
      const known = someNames(Object.keys(capture)) || 'none, because the node has no `capture`';
      return [{ pointer: pointerTo(path), detail: `unknown variable "${name}": expected ${known}` }];
    });
}

/** What more there is would be as many mistakes. */
const capturedMax = 1000;

/** Those that are known before the run. */
function literalChoices({ choices }: Typed<'ask'>): JsonObject | undefined {
  return isList(choices) && !choices.some(hasTemplate) ? { enum: choices } : undefined;
}

interface Promised {
  readonly schema: JsonObject | undefined;
  /** Of the node, for people. */
  readonly what: string;
}

type Misfits = (value: Json, path: Path, promised: Promised) => readonly Fault[];

const workMax = 5_000_000;

/** None where the schema itself has a mistake, which is told there, or takes too much work. */
function findsMisfits(checkPattern: CheckPattern): Misfits {
  const pattern = patternTest(linearPattern);
  const work = { left: workMax };
  const sound = new Map<JsonObject, boolean>();
  const isSound = (schema: JsonObject) => {
    const known = sound.get(schema) ?? schemaProblems(schema, checkPattern).length === 0;
    sound.set(schema, known);
    return known;
  };
  return (value, path, { schema, what }) => {
    if (!schema || !isSound(schema)) return [];
    try {
      return findFaultsIn(schema, value, pattern, work).map(({ pointer, detail }) => ({
        pointer: `${pointerTo(path)}${pointer}`,
        detail: `${detail}: the node has ${what}`,
      }));
    } catch (error) {
      if (error instanceof NodeError) return [];
      throw error;
    }
  };
}
