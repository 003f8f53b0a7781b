// Mistakes in what a test lets nodes give: mocks of nodes that are none or cannot be mocked, of a form that means nothing, and outputs that the
// node could not give.
import type { Json, JsonObject } from '#lib/json/json.ts';
import { pointerTo } from '#lib/json/pointer.ts';
import { truncate } from '#lib/truncate.ts';
import { type Mark, markOf, mockedError, type Series } from '../definition/mock.ts';
import { hasNext, typeNamed } from '../definition/node-types.ts';
import { isList, isObject } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import {
  type CheckBudget,
  CheckEnded,
  checkPatternWithin,
  isFull,
  spendCheckBudget,
} from './check-budget.ts';
import type { Mistake, Path } from './mistake.ts';
import { type BrokenPromises, findsBrokenPromises } from './promised-outputs.ts';
import type { ReadBlock, ReadNode } from './read-nodes.ts';
import { readShape } from './shape.ts';

type Nodes = ReadonlyMap<string, ReadNode>;

/** For a mock that breaks the schema of its node, once the list of mistakes is full: 100 µs. */
const countedMistakeUnits = 4_000;

export function mockMistakes(
  tests: Json | undefined,
  nodes: Nodes,
  work: CheckBudget,
): { readonly mistakes: readonly Mistake[]; readonly unlisted: number } {
  const mistakes: Mistake[] = [];
  let unlisted = 0;
  try {
    for (const mistake of eachMistake(tests, nodes, work)) {
      if (!isFull(mistakes)) {
        mistakes.push(mistake);
        continue;
      }
      unlisted += 1;
      spendCheckBudget(work, countedMistakeUnits);
    }
  } catch (error) {
    // Once the list is full, mistakes are only counted, as far as the budget of the check allows.
    if (!(error instanceof CheckEnded && isFull(mistakes))) throw error;
  }
  return { mistakes, unlisted };
}

function* eachMistake(tests: Json | undefined, nodes: Nodes, work: CheckBudget): Iterable<Mistake> {
  const broken = findsBrokenPromises(checkPatternWithin(work));
  for (const [index, test] of (isList(tests) ? tests : []).slice(0, limits.testsMax).entries()) {
    const mocks: JsonObject = isObject(test) && isObject(test.mocks) ? test.mocks : {};
    for (const [id, mock] of Object.entries(mocks)) {
      const path = ['tests', index, 'mocks', id];
      work.at = path;
      const found = nodes.get(id);
      const problem = problemOf(id, found);
      if (problem !== undefined) yield at(path, problem);
      else if (found) yield* outcomeMistakes(mock, path, { found, broken });
    }
  }
}

/** Why there is no mock of it, if that is so. */
function problemOf(id: string, found: ReadNode | undefined): string | undefined {
  if (!found) return `expected the id of a node, "${truncate(id, 64)}" is none`;
  const type = isObject(found.raw) ? found.raw.type : undefined;
  if (typeof type !== 'string' || !typeNamed(type) || hasNext(type)) return undefined;
  return `nodes of type ${type} cannot be mocked: expected one that goes on to its \`next\``;
}

interface Mocked {
  readonly found: ReadNode;
  readonly broken: BrokenPromises;
  /** The series that the outcome is a part of. */
  readonly within?: Series['name'];
}

function outcomeMistakes(outcome: Json, path: Path, mocked: Mocked): Iterable<Mistake> {
  const mark = markOf(outcome);
  if (mark) return marked[mark.name](mark.value, [...path, mark.name], mocked);
  return mocked.broken(outcome, mocked.found.node).map(({ pointer, detail }) => ({
    pointer: `${pointerTo(path)}${pointer}`,
    detail,
  }));
}

type Look = (value: Json, path: Path, mocked: Mocked) => Iterable<Mistake>;

/** What stands under the name that says what kind of mock it is. */
const marked: Readonly<Record<Mark, Look>> = {
  error: (value, path) =>
    readShape(mockedError.shape.error, value, path).mistakes.map(({ pointer, detail }) => ({
      pointer,
      detail: `${detail}: a node fails with {error: {code, message?}}`,
    })),
  in_order: (value, path, { within, ...mocked }) =>
    within === 'in_order'
      ? [at(path, 'expected an output or an error inside `in_order`')]
      : listMistakes(value, path, { ...mocked, within: 'in_order' }),
  by_item: (value, path, { within, ...mocked }) => {
    if (within) return [at(path, 'expected `by_item` around everything else: it cannot stand in a series')];
    if (!isInMap(mocked.found.block))
      return [at(path, 'expected a node inside a `map`: this one has no item')];
    return listMistakes(value, path, { ...mocked, within: 'by_item' });
  },
};

function* listMistakes(list: Json, path: Path, mocked: Mocked): Iterable<Mistake> {
  if (!isList(list)) yield at(path, 'expected a list of outputs and errors');
  else if (list.length === 0) yield at(path, 'expected at least one output or error');
  else
    for (const [index, outcome] of list.entries()) yield* outcomeMistakes(outcome, [...path, index], mocked);
}

const at = (path: Path, detail: string): Mistake => ({ pointer: pointerTo(path), detail });

const isInMap = ({ names, host }: ReadBlock): boolean =>
  names.includes('index') || (host !== undefined && isInMap(host.block));
