// The members of an object, the items of a list and the groups of a grouping take turns. JSONata begins all of
// them at once and counts each that has begun as a level of depth; here only the one whose turn it is counts.
import type jsonata from 'jsonata';
import { addSlots, type StepBudget } from './step-budget.ts';

/** The turns of an evaluation are bound to this name, which cannot be written in an expression. */
export const turnsName = '&turns';

export interface Turns {
  /** Settles when it is the turn of the part. Called when the library has begun to evaluate it. */
  readonly enter: () => Promise<void>;
  /** Lets the next one begin. */
  readonly leave: () => void;
}

/** Parts that have begun together, and the number of those whose turn has come. */
interface Group {
  readonly begin: (() => void)[];
  begun: number;
}

/** `stack` of the options is the depth that the library allows. It is raised by the parts that wait. */
export function createTurns(options: jsonata.JsonataOptions, budget: StepBudget): Turns {
  const { stack = 0 } = options;
  const open: Group[] = [];
  let waiting = 0;
  let arriving: Group | undefined;

  const beginNext = () => {
    const group = open.at(-1);
    const begin = group?.begin[group.begun];
    if (!group || !begin) return void open.pop();
    group.begun++;
    budget.slots -= slotsOfWaiting;
    options.stack = stack + --waiting;
    begin();
  };
  // The library begins the parts of a group without a pause. The first begins when all have arrived.
  const createGroup = (): Group => {
    const group: Group = { begin: [], begun: 0 };
    open.push(group);
    queueMicrotask(() => {
      arriving = undefined;
      beginNext();
    });
    return group;
  };
  return {
    enter: () => {
      arriving ??= createGroup();
      const { begin } = arriving;
      addSlots(budget, slotsOfWaiting);
      options.stack = stack + ++waiting;
      return new Promise((resolve) => begin.push(resolve));
    },
    // The library takes a level back only after it is notified that the part has ended.
    leave: () => queueMicrotask(beginNext),
  };
}

/** The memory of a part that has begun and waits, about 1.2 KB. It is free again when the part has ended. */
const slotsOfWaiting = 32;

interface SyntaxNode {
  readonly type?: unknown;
  readonly value?: unknown;
  readonly expressions?: unknown;
  readonly lhs?: unknown;
  readonly group?: SyntaxNode;
}

/** The parts of a syntax tree that the library begins together with others. */
export function findTogether(root: unknown): ReadonlySet<unknown> {
  const found = new Set<unknown>();
  const seen = new Set<unknown>();
  const open = [root];
  while (open.length > 0) {
    const part = open.pop();
    if (typeof part !== 'object' || part === null || part instanceof RegExp || seen.has(part)) continue;
    seen.add(part);
    for (const one of listTogether(part)) found.add(one);
    for (const inner of Object.values(part)) open.push(inner);
  }
  return found;
}

function listTogether({ type, value, expressions, lhs, group }: SyntaxNode): readonly unknown[] {
  const items = type === 'unary' && value === '[' && Array.isArray(expressions) ? expressions : [];
  const members = type === 'unary' && value === '{' ? listMembers(lhs) : [];
  return [...(items.length > 1 ? items : []), ...members, ...listMembers(group?.lhs)];
}

/** An object with one literal name has one member, whatever it is made of. */
function listMembers(pairs: unknown): readonly unknown[] {
  if (!Array.isArray(pairs)) return [];
  const isAlone = pairs.length === 1 && pairs[0]?.[0]?.type === 'string';
  return isAlone ? [] : pairs.map((pair) => pair?.[1]);
}
