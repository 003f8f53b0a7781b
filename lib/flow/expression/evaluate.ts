// One expression of a flow: the fast way for bare paths, the hardened language for the rest, loaded when first needed.
import { lazyModule } from '#lib/lazy.ts';
import { hasTemplate, segmentsOf } from '../format/template-segments.ts';
import { type Allowance, computed, inlineLimits, spending } from './compute.ts';
import type { Evaluate, EvaluateWithin } from './evaluation.ts';
import { barePathOf, valueAt } from './path.ts';

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
  const names = barePathOf(source);
  return names ? (at) => valueAt(at.scope, names) ?? null : slowly(source);
}

/** Whether a text has an expression that is more than a path. Of a text that is no template, such as a title, nobody will ask. */
export function needsLanguage(text: string): boolean {
  try {
    return (
      hasTemplate(text) &&
      segmentsOf(text).some((part) => 'expression' in part && !barePathOf(part.expression))
    );
  } catch {
    return false;
  }
}

/** The language costs some milliseconds to load, which flows of bare paths never pay. */
export const language = lazyModule(async () => (await import('./language.ts')).openLanguage());

function slowly(source: string): Evaluate {
  let run: EvaluateWithin | undefined;
  return async (at) => {
    await at.pace();
    const { cpuMs, compute, scope } = at;
    const begin = async (allowance?: Allowance) => {
      const compiled = language.loaded() ?? (await language.load());
      run ??= spending(allowance, cpuMs, () => compiled(source));
      return await run(at, allowance);
    };
    // To parse a long one may take as long as to evaluate it.
    if (compute && source.length > inlineLimits.expressionChars)
      return await compute.elsewhere({ kind: 'expression', source, scope });
    return await computed(compute, { kind: 'expression', source, scope }, begin);
  };
}
