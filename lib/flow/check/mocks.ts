// Checks the mocks of tests: the node must exist and be of a type that can be mocked, the mock must have a known form,
// and its outputs must be ones that the node could give.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { pointerTo } from '#lib/json/pointer.ts';
import { addMistake, newMistakeList } from '#lib/mistakes.ts';
import { truncate } from '#lib/truncate.ts';
import { type MockMark, mockedError, parseMark, type Series } from '../definition/mock.ts';
import { findNodeType, hasNext } from '../definition/node-types.ts';
import { isList, isObject } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import {
  type CheckBudget,
  type CheckState,
  checkPatternWithin,
  findNearName,
  isFull,
  spendCheckBudget,
} from './check-budget.ts';
import type { Mistake, Path } from './mistake.ts';
import { createOutputCheck, type OutputCheck } from './promised-outputs.ts';
import type { ReadBlock, ReadNode } from './read-nodes.ts';
import { readShape } from './shape.ts';

type Nodes = ReadonlyMap<string, ReadNode>;

/** For a mistake in a mock, once the list of mistakes is full: 100 µs. */
const countedMistakeUnits = 4_000;

export function checkMocks(tests: Json | undefined, nodes: Nodes, { mistakes, budget }: CheckState): void {
  const checkOutput = createOutputCheck(checkPatternWithin(budget));
  for (const [index, test] of (isList(tests) ? tests : []).slice(0, limits.testsMax).entries()) {
    const mocks: JsonObject = isObject(test) && isObject(test.mocks) ? test.mocks : {};
    for (const [id, mock] of Object.entries(mocks)) {
      const path = ['tests', index, 'mocks', id];
      budget.path = path;
      const read = nodes.get(id);
      const problem = findProblem(id, read, () => findNearName({ mistakes, budget }, id, [...nodes.keys()]));
      if (problem !== undefined) addMistake(mistakes, path, problem);
      else if (read)
        for (const { pointer, detail } of checkOutcome(mock, path, { read, checkOutput, budget })) {
          if (isFull(mistakes)) spendCheckBudget(budget, countedMistakeUnits);
          addMistake(mistakes, pointer, detail);
        }
    }
  }
}

/** Why the node cannot be mocked; undefined if it can. */
function findProblem(
  id: string,
  read: ReadNode | undefined,
  near: () => string | undefined,
): string | undefined {
  if (!read) {
    const meant = near();
    const suggestion = meant === undefined ? '' : `: did you mean "${meant}"?`;
    return `expected the id of a node, and the flow has no node "${truncate(id, 64)}"${suggestion}`;
  }
  const type = isObject(read.raw) ? read.raw.type : undefined;
  if (typeof type !== 'string' || !findNodeType(type) || hasNext(type)) return undefined;
  return `nodes of type ${type} cannot be mocked: expected one that has a \`next\``;
}

interface MockedNode {
  readonly read: ReadNode;
  readonly checkOutput: OutputCheck;
  readonly budget: CheckBudget;
  /** The innermost series that contains the outcome. */
  readonly within?: Series['name'];
}

function checkOutcome(outcome: Json, path: Path, mocked: MockedNode): Iterable<Mistake> {
  const mark = parseMark(outcome);
  if (mark) return markChecks[mark.name](mark.value, [...path, mark.name], mocked);
  return mocked.checkOutput(outcome, mocked.read.node).map(({ pointer, detail }) => ({
    pointer: `${pointerTo(path)}${pointer}`,
    detail,
  }));
}

type MarkCheck = (value: Json, path: Path, mocked: MockedNode) => Iterable<Mistake>;

/** Each checks the value of the member that says what kind of mock it is. */
const markChecks: Readonly<Record<MockMark, MarkCheck>> = {
  error: (value, path, { budget }) => {
    const mistakes = newMistakeList();
    readShape(mockedError.shape.error, value, path, { mistakes, budget });
    return mistakes.listed.map(({ pointer, detail }) => ({
      pointer,
      detail: `${detail}: a node fails with {error: {code, message?}}`,
    }));
  },
  in_order: (value, path, { within, ...mocked }) =>
    within === 'in_order'
      ? [describeMistake(path, 'expected an output or an error inside `in_order`')]
      : checkList(value, path, { ...mocked, within: 'in_order' }),
  by_item: (value, path, { within, ...mocked }) => {
    if (within)
      return [
        describeMistake(path, 'expected `by_item` around everything else: it cannot be inside a series'),
      ];
    if (!isInMap(mocked.read.block))
      return [describeMistake(path, 'expected a node inside a `map`: this one has no item')];
    return checkList(value, path, { ...mocked, within: 'by_item' });
  },
};

function* checkList(list: Json, path: Path, mocked: MockedNode): Iterable<Mistake> {
  if (!isList(list)) yield describeMistake(path, 'expected a list of outputs and errors');
  else if (list.length === 0) yield describeMistake(path, 'expected at least one output or error');
  else for (const [index, outcome] of list.entries()) yield* checkOutcome(outcome, [...path, index], mocked);
}

const describeMistake = (path: Path, detail: string): Mistake => ({ pointer: pointerTo(path), detail });

const isInMap = ({ names, host }: ReadBlock): boolean =>
  names.includes('index') || (host !== undefined && isInMap(host.block));
