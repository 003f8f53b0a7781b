// The size of a value counted as a tree: a shared part counts each time it occurs, but is measured only once.
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';

export const tooLarge = (expected: string) =>
  new NodeError('expression.too_large', `The expression grew too large: expected ${expected}.`);

/** Sizes are kept, because values never change after they are created. */
const measured = new WeakMap<object, { readonly size: number; readonly depth: number }>();
const leaf = 8;

/**
 * Throws `expression.too_large` above `limits.valueSizeMax` and for values nested deeper than
 * `limits.valueDepth`.
 */
export function checkedSize(value: object): number {
  return measure(value, 0).size;
}

function measure(value: object, level: number): { readonly size: number; readonly depth: number } {
  const known = measured.get(value);
  if (known) return known;
  if (level > limits.valueDepth) throw tooLarge(`values nested at most ${limits.valueDepth} levels`);
  let size = leaf;
  let depth = 0;
  for (const [key, part] of Object.entries(value)) {
    const inner = typeof part === 'object' && part !== null ? measure(part, level + 1) : undefined;
    size += key.length + (inner?.size ?? (typeof part === 'string' ? part.length + leaf : leaf));
    depth = Math.max(depth, 1 + (inner?.depth ?? 0));
    if (size > limits.valueSizeMax) throw tooLarge(`values of at most ${limits.valueSizeMax} characters`);
  }
  if (depth > limits.valueDepth) throw tooLarge(`values nested at most ${limits.valueDepth} levels`);
  const result = { size, depth };
  measured.set(value, result);
  return result;
}

/**
 * Functions of JSONata are objects that refer to its environment. They have a fixed size and are never
 * traversed.
 */
export function markFunction(value: object): void {
  measured.set(value, { size: leaf, depth: 0 });
  functions.add(value);
}

/**
 * Functions are recognized because their creation was observed: data can have the properties of the library
 * too.
 */
export const isFunction = (value: object) =>
  functions.has(value) || ('implementation' in value && typeof value.implementation === 'function');

const functions = new WeakSet<object>();
