// One expression of a flow: the fast way for bare paths, the hardened language for the rest, loaded when first needed.
import type { Json } from '#lib/json.ts';
import { barePathOf, crossesList, valueAt } from './path.ts';
import type { RenderAt } from './template.ts';

export type Evaluate = (at: RenderAt) => Json | Promise<Json>;

/** The same source is compiled once per process; the oldest is forgotten when the table is full. Long ones are rare and their trees large. */
const compiled = new Map<string, Evaluate>();
const compiledMax = 2000;
const rememberedCharsMax = 500;

export function expression(source: string): Evaluate {
  const known = compiled.get(source);
  if (known) return known;
  const fresh = compile(source);
  if (source.length > rememberedCharsMax) return fresh;
  const oldest = compiled.size >= compiledMax ? compiled.keys().next().value : undefined;
  if (oldest !== undefined) compiled.delete(oldest);
  compiled.set(source, fresh);
  return fresh;
}

function compile(source: string): Evaluate {
  const slow = slowly(source);
  const names = barePathOf(source);
  if (!names) return slow;
  return (at) => {
    const value = valueAt(at.scope, names);
    return value === crossesList ? slow(at) : (value ?? null);
  };
}

/** The language costs some milliseconds to load, which flows of bare paths never pay. */
function slowly(source: string): Evaluate {
  let ready: Promise<Evaluate> | undefined;
  return async (at) => {
    await at.pace();
    ready ??= import('./language.ts').then(({ compileExpression }) => compileExpression(source));
    return (await ready)(at);
  };
}
