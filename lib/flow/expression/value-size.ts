// The size of a value seen as a tree. Parts that are shared count each time they appear, but are only looked at once.
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';

export const tooLarge = (expected: string) =>
  new NodeError('expression.too_large', `The expression grew too large: expected ${expected}.`);

/** Values are never changed once they are made, so what was weighed stays weighed. */
const weighed = new WeakMap<object, { readonly weight: number; readonly depth: number }>();
const leaf = 8;

/** Throws `expression.too_large` above `limits.valueWeightMax` and for values nested deeper than `limits.valueDepth`. */
export function checkedSize(value: object): number {
  return weigh(value, 0).weight;
}

function weigh(value: object, level: number): { readonly weight: number; readonly depth: number } {
  const known = weighed.get(value);
  if (known) return known;
  if (level > limits.valueDepth) throw tooLarge(`values nested at most ${limits.valueDepth} levels`);
  let weight = leaf;
  let depth = 0;
  for (const [key, part] of Object.entries(value)) {
    const inner = typeof part === 'object' && part !== null ? weigh(part, level + 1) : undefined;
    weight += key.length + (inner?.weight ?? (typeof part === 'string' ? part.length + leaf : leaf));
    depth = Math.max(depth, 1 + (inner?.depth ?? 0));
    if (weight > limits.valueWeightMax)
      throw tooLarge(`values of at most ${limits.valueWeightMax} characters`);
  }
  if (depth > limits.valueDepth) throw tooLarge(`values nested at most ${limits.valueDepth} levels`);
  const result = { weight, depth };
  weighed.set(value, result);
  return result;
}

/** Functions of the language are objects that lead into its environment: they weigh nothing and are never walked. */
export function markFunction(value: object): void {
  weighed.set(value, { weight: leaf, depth: 0 });
  functions.add(value);
}

/** Known by having seen it made: data may carry the library's marks too. */
export const isFunction = (value: object) =>
  functions.has(value) || ('implementation' in value && typeof value.implementation === 'function');

const functions = new WeakSet<object>();
