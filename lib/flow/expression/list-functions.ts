// `$range`, `$partition` and `$distinctBy`.
import { identify } from '../format/json-value.ts';
import { limits } from '../format/limits.ts';
import { callError, type OwnFunctions } from './own-function.ts';
import { countWork } from './step-budget.ts';
import { checkedSize, tooLarge } from './value-size.ts';

export const listFunctions: OwnFunctions = {
  range: {
    signature: '<nnn?:a>',
    parameters: 3,
    run: ([first, last, step = 1], { budget }) => {
      if (first === undefined || last === undefined) return undefined;
      const [from, to, by] = [requireFinite(first), requireFinite(last), requireFinite(step)];
      if (by === 0) throw callError('range', 'expected a step other than 0');
      const count = Math.max(0, Math.floor((to - from) / by) + 1);
      if (count > limits.sequenceItemsMax)
        throw tooLarge(`a range of at most ${limits.sequenceItemsMax} numbers`);
      countWork(budget, count);
      return Array.from({ length: count }, (_, index) => from + index * by);
    },
  },
  partition: {
    signature: '<an:a>',
    parameters: 2,
    run: ([list, size], { budget }) => {
      if (!Array.isArray(list)) return undefined;
      if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 1)
        throw callError('partition', 'expected a whole number of at least 1 as argument 2');
      countWork(budget, list.length);
      return Array.from({ length: Math.ceil(list.length / size) }, (_, part) =>
        Array.from(list.slice(part * size, (part + 1) * size)),
      );
    },
  },
  distinctBy: {
    signature: '<af:a>',
    parameters: 2,
    run: async ([list, toKey], { budget }) => {
      if (!Array.isArray(list)) return undefined;
      if (typeof toKey !== 'function') throw callError('distinctBy', 'expected a function as argument 2');
      const known = new Map<unknown, unknown>();
      for (const item of list) {
        const key: unknown = await toKey(item);
        if (typeof key === 'string') countWork(budget, key.length);
        if (typeof key === 'object' && key !== null) countWork(budget, checkedSize(key));
        const identity = identify(key);
        if (!known.has(identity)) known.set(identity, item);
      }
      return [...known.values()];
    },
  },
};

function requireFinite(value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw callError('range', 'expected finite numbers');
}
