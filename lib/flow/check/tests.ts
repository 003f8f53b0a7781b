// Mistakes in the tests of a flow: mocks of nodes that are none or cannot be mocked, mocks that their node could not give, and expectations that do
// not parse.
import type { Json, JsonObject } from '#lib/json.ts';
import { pointerTo } from '#lib/json-pointer.ts';
import { parseExpression } from '../expression/language.ts';
import { linearPattern } from '../expression/regex.ts';
import { isList, isObject } from '../json-value.ts';
import { type FlowNode, typeNamed } from '../nodes/index.ts';
import { type Fault, faultsIn, patternTest } from '../schema/validate.ts';
import { expectation } from '../testing/flow-test.ts';
import { mockedError, mockOf } from '../testing/mock.ts';
import type { Mistake, Path } from './mistake.ts';
import type { ReadBlock, ReadNode } from './read-nodes.ts';

export function testMistakes(tests: Json | undefined, nodes: ReadonlyMap<string, ReadNode>): Mistake[] {
  if (!isList(tests)) return [];
  return tests.flatMap((test, index) => {
    if (!isObject(test)) return [];
    const mocks = isObject(test.mocks) ? Object.entries(test.mocks) : [];
    const mistakes = mocks.flatMap(([id, mock]) =>
      mockMistakes(mock, id, nodes.get(id)).map(({ pointer, detail }) => ({
        pointer: `${pointerTo(['tests', index, 'mocks', id])}${pointer}`,
        detail,
      })),
    );
    return [...mistakes, ...expectMistake(test.expect, index)];
  });
}

/** With pointers from the mock's own root. */
function mockMistakes(mock: Json, id: string, found: ReadNode | undefined): readonly Mistake[] {
  if (!found) return [at([], `expected the id of a node, "${id}" is none`)];
  const type = isObject(found.raw) ? found.raw.type : undefined;
  if (typeof type === 'string' && typeNamed(type)?.goesOn() === false)
    return [at([], `nodes of type ${type} cannot be mocked: expected one that goes on to its \`next\``)];
  const { series, outcomes } = mockOf(mock);
  const [first] = outcomes;
  if (!first) return [at([`${series}`], 'expected at least one output or error')];
  if (series === 'by_item' && !isInMap(found.block))
    return [at([series], 'expected a node inside a `map`: this one has no item')];
  return outcomes.flatMap(({ path, value }) => outputMistakes(value, path, found.node));
}

const at = (path: Path, detail: string): Mistake => ({ pointer: pointerTo(path), detail });

const isInMap = ({ names, host }: ReadBlock): boolean =>
  names.includes('index') || (host !== undefined && isInMap(host.block));

function outputMistakes(output: Json, path: Path, node: FlowNode | undefined): readonly Mistake[] {
  const promised = promisedBy(node);
  if (!promised || mockedError.safeParse(output).success) return [];
  const { schema, field } = promised;
  const place = field === undefined ? path : [...path, field];
  const value = field === undefined ? output : isObject(output) ? output[field] : undefined;
  if (value === undefined) return [at(path, `expected the property "${field}", which fits output_schema`)];
  return faultsOf(schema, value).map(({ pointer, detail }) => ({
    pointer: `${pointerTo(place)}${pointer}`,
    detail: `${detail}: the node has an output_schema`,
  }));
}

/** What a node with an `output_schema` cannot give otherwise: all of its output, or a part of it. */
function promisedBy(node: FlowNode | undefined): { schema: JsonObject; field?: string } | undefined {
  if (node?.type === 'llm' && node.output_schema) return { schema: node.output_schema };
  if (node?.type === 'agent' && node.output_schema) return { schema: node.output_schema, field: 'data' };
  return undefined;
}

/** None where the schema itself has a mistake, which is told there, or is too complex to say. */
function faultsOf(schema: JsonObject, value: Json): readonly Fault[] {
  try {
    return faultsIn(schema, value, patternTest(linearPattern));
  } catch {
    return [];
  }
}

function expectMistake(expect: Json | undefined, index: number): Mistake[] {
  if (typeof expect !== 'string' || expect === '') return [];
  try {
    parseExpression(expectation({ expect }));
    return [];
  } catch (error) {
    const detail = error instanceof Error ? error.message : 'expected an expression';
    return [{ pointer: pointerTo(['tests', index, 'expect']), detail }];
  }
}
