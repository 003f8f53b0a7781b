// Mistakes in the tests of a flow: in their mocks, and expectations that do not parse.
import type { Json } from '#lib/json.ts';
import { pointerTo } from '#lib/json-pointer.ts';
import { parseExpression } from '../expression/language.ts';
import { isList, isObject } from '../json-value.ts';
import { expectation } from '../testing/flow-test.ts';
import type { Mistake } from './mistake.ts';
import { mockMistakes } from './mocks.ts';
import { findsBrokenPromises } from './promised-outputs.ts';
import type { ReadNode } from './read-nodes.ts';

export function testMistakes(tests: Json | undefined, nodes: ReadonlyMap<string, ReadNode>): Mistake[] {
  if (!isList(tests)) return [];
  const broken = findsBrokenPromises();
  return tests.flatMap((test, index) => {
    if (!isObject(test)) return [];
    const mocks = isObject(test.mocks) ? test.mocks : {};
    return [
      ...mockMistakes(mocks, ['tests', index, 'mocks'], { nodes, broken }),
      ...expectMistake(test.expect, index),
    ];
  });
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
