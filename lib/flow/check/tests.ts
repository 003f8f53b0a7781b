// Mistakes in the tests of a flow: mocks of nodes that are none or cannot be mocked, and expectations that do not parse.
import type { Json } from '#lib/json.ts';
import { pointerTo } from '#lib/json-pointer.ts';
import { parseExpression } from '../expression/language.ts';
import { isList, isObject } from '../json-value.ts';
import { typeNamed } from '../nodes/index.ts';
import { expectation } from '../testing/flow-test.ts';
import type { Mistake } from './mistake.ts';
import type { ReadNode } from './read-nodes.ts';

export function testMistakes(tests: Json | undefined, nodes: ReadonlyMap<string, ReadNode>): Mistake[] {
  if (!isList(tests)) return [];
  return tests.flatMap((test, index) => {
    if (!isObject(test)) return [];
    const mocked = isObject(test.mocks) ? Object.keys(test.mocks) : [];
    const mistakes = mocked.flatMap((id) => {
      const detail = mockMistake(id, nodes.get(id));
      return detail === undefined ? [] : [{ pointer: pointerTo(['tests', index, 'mocks', id]), detail }];
    });
    return [...mistakes, ...expectMistake(test.expect, index)];
  });
}

function mockMistake(id: string, found: ReadNode | undefined): string | undefined {
  if (!found) return `expected the id of a node, "${id}" is none`;
  const type = isObject(found.raw) ? found.raw.type : undefined;
  if (typeof type !== 'string' || typeNamed(type)?.goesOn() !== false) return undefined;
  return `nodes of type ${type} cannot be mocked: expected one that goes on to its \`next\``;
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
