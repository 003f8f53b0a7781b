// Checks the expectations of tests. An unknown name has no value, and nearly every expression that something is not so
// is true without a value, so such a test would pass for the wrong reason.
import type { JsonObject } from '#lib/json/json.ts';
import { expectation, expectationNames } from '../definition/flow-test.ts';
import { isList, isObject } from '../format/json-value.ts';
import type { CheckState } from './check-budget.ts';
import { addNodeError, checkExpression, describeFlow, type ExpressionCheck, members } from './expressions.ts';
import type { Warning } from './mistake.ts';
import type { ReadNode } from './read-nodes.ts';
import { newWarningList } from './warning-list.ts';

/** Adds the mistakes to the list, and returns the warnings. */
export function checkExpectations(
  nodes: ReadonlyMap<string, ReadNode>,
  head: JsonObject,
  { mistakes, budget }: CheckState,
): readonly Warning[] {
  const check: ExpressionCheck = {
    ...describeFlow(nodes, head),
    names: expectationNames,
    members: { ...members, error: ['code', 'message', 'node_id'] },
    // The run has ended, so that the output of every node is visible, whatever its scope.
    isVisible: () => true,
    isBefore: () => true,
    checked: { count: 0 },
    isAfterRun: true,
    noteStateRead: () => {},
    isForPeople: false,
    isCondition: false,
    mistakes,
    warnings: newWarningList(),
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
  return check.warnings.listed;
}
