// Compiles one expression of a flow. Bare paths are read directly; all other expressions use JSONata, which
// is loaded when it is first needed.
import type { Json } from '#lib/json/json.ts';
import { lazyModule } from '#lib/lazy.ts';
import { isObject } from '../format/json-value.ts';
import { hasTemplate, parseSegments } from '../format/template-segments.ts';
import { toScopePath } from './answer-message.ts';
import { type Allowance, chargeAllowance, inlineLimits, runInlineFirst } from './compute.ts';
import type { Evaluate, EvaluateWithin, RenderAt } from './evaluation.ts';
import type { Execution } from './execution.ts';
import { parseBarePath, readPath } from './path.ts';

/**
 * A source is compiled once per process. When the table is full, the oldest entry is deleted. Long
 * expressions are not kept, because they are rare and their syntax trees are large.
 */
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
  const bare = parseBarePath(source);
  if (!bare) return compileExpression(source);
  const names = toScopePath(bare);
  return (at) => readPath(at.scope, names) ?? null;
}

/**
 * Whether a text has an expression that is more than a path. Text without templates, such as a title, has
 * none.
 */
export function needsLanguage(text: string): boolean {
  try {
    return (
      hasTemplate(text) &&
      parseSegments(text).some((part) => 'expression' in part && !parseBarePath(part.expression))
    );
  } catch {
    return false;
  }
}

/** Loading JSONata takes some milliseconds, which flows with bare paths alone save. */
export const language = lazyModule(async () => (await import('./language.ts')).openLanguage());

function compileExpression(source: string): Evaluate {
  let run: EvaluateWithin | undefined;
  return async (at) => {
    await at.pace();
    const { cpuMs, compute, scope } = at;
    const execution = countEvaluation(at);
    const task = { kind: 'expression', source, scope, execution } as const;
    const begin = async (allowance?: Allowance) => {
      const compiled = language.loaded() ?? (await language.load());
      run ??= chargeAllowance(allowance, cpuMs, () => compiled(source));
      return await run(execution ? { ...at, execution } : at, allowance);
    };
    const elsewhere = compute && {
      ...compute,
      runOnThread: async () => readAnswer(await compute.runOnThread(task), at),
    };
    // Parsing a long expression can take as long as evaluating it.
    if (elsewhere && source.length > inlineLimits.expressionChars) return await elsewhere.runOnThread();
    return await runInlineFirst(elsewhere, task, begin);
  };
}

/** What the other thread returns for an expression (`ComputeTask`). */
function readAnswer(answer: Json, { noteKept }: RenderAt): Json {
  const { value = null, kept } = isObject(answer) ? answer : {};
  if (typeof kept === 'number' && kept > 0) noteKept?.(kept);
  return value;
}

/** The execution as this evaluation sees it, also if it is repeated on another thread. */
function countEvaluation({ execution }: RenderAt): Execution | undefined {
  if (!execution) return undefined;
  const seen = { ...execution };
  execution.evaluations++;
  return seen;
}
