// Mistakes in what tests expect. A name that stands for nothing has no value, of which nearly anything is true that says what must not be.
import type { JsonObject } from '#lib/json/json.ts';
import { pointerTo } from '#lib/json/pointer.ts';
import { expectation, expectationNames } from '../definition/flow-test.ts';
import { isList, isObject } from '../format/json-value.ts';
import { NodeError } from '../format/node-error.ts';
import type { CheckBudget } from './check-budget.ts';
import {
  addError,
  assignedNames,
  countWithin,
  type Found,
  type Look,
  lookAtExpression,
  members,
} from './expressions.ts';
import type { ReadNode } from './read-nodes.ts';

export function expectationMistakes(
  nodes: ReadonlyMap<string, ReadNode>,
  head: JsonObject,
  work: CheckBudget,
): Found {
  const look: Look = {
    nodes,
    names: expectationNames,
    members: { ...members, error: ['code', 'message', 'node_id'] },
    // The run is over: whatever had an output is seen, wherever it stands.
    isVisible: () => true,
    isBefore: () => true,
    stateNames: assignedNames(nodes, head.state),
    found: { errors: [], unlisted: 0, warnings: [] },
    seen: { count: 0 },
    work,
  };
  countWithin(look.found, () => {
    for (const [index, test] of (isList(head.tests) ? head.tests : []).entries()) {
      if (isObject(test) && typeof test.expect === 'string' && test.expect !== '') {
        work.at = ['tests', index, 'expect'];
        lookAtExpectation(test.expect, pointerTo(work.at), look);
      }
    }
  });
  return look.found;
}

function lookAtExpectation(expect: string, pointer: string, look: Look): void {
  try {
    lookAtExpression(expectation({ expect }), pointer, look);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    const detail = error.message;
    addError(look.found, { pointer, detail });
  }
}
