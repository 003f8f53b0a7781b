// Checks the expectations of tests. An unknown name has no value, and nearly every expression that something is not so
// is true without a value, so such a test would pass for the wrong reason.
import type { JsonObject } from '#lib/json/json.ts';
import { expectation, expectationNames } from '../definition/flow-test.ts';
import { isList, isObject } from '../format/json-value.ts';
import type { CheckState } from './check-budget.ts';
import {
  addNodeError,
  checkExpression,
  type ExpressionCheck,
  findStateNames,
  members,
} from './expressions.ts';
import type { Warning } from './mistake.ts';
import type { ReadNode } from './read-nodes.ts';

/** Adds the mistakes to the list, and returns the warnings. */
export function checkExpectations(
  nodes: ReadonlyMap<string, ReadNode>,
  head: JsonObject,
  { mistakes, budget }: CheckState,
): readonly Warning[] {
  const warnings: Warning[] = [];
  const check: ExpressionCheck = {
    nodes,
    names: expectationNames,
    members: { ...members, error: ['code', 'message', 'node_id'] },
    // The run has ended, so that the output of every node is visible, whatever its scope.
    isVisible: () => true,
    isBefore: () => true,
    stateNames: findStateNames(nodes, head.state),
    checked: { count: 0 },
    mistakes,
    warnings,
    budget,
  };
  for (const [index, test] of (isList(head.tests) ? head.tests : []).entries()) {
    if (!isObject(test) || typeof test.expect !== 'string' || test.expect === '') continue;
    budget.path = ['tests', index, 'expect'];
    try {
      checkExpression(expectation({ expect: test.expect }), budget.path, check);
    } catch (error) {
      addNodeError(error, budget.path, check);
    }
  }
  return warnings;
}
