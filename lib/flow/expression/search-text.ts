// Searches a text for a regular expression of a flow, or for a kind of text, in linear time for each match and within
// the budget of an evaluation. Loaded for flows with guardrails.
import type { JsonObject } from '#lib/json/json.ts';
import { isObject } from '../format/json-value.ts';
import { type Allowance, type Compute, chargeAllowance, runInlineFirst, type TextSearch } from './compute.ts';
import { detect, type Span } from './detect.ts';
import { boundedPattern } from './regex.ts';
import { checkMatch, createBudget, type StepBudget } from './step-budget.ts';

export interface SearchedText {
  readonly matches: number;
  /** With the replacements. */
  readonly text: string;
}

/** A text that takes long is searched on another thread. Throws `expression.too_large` and `expression.timeout`. */
export async function findMatches(
  search: TextSearch,
  { compute, cpuMs }: { readonly compute?: Compute | undefined; readonly cpuMs: () => number },
): Promise<SearchedText> {
  const begin = (allowance?: Allowance) =>
    chargeAllowance(allowance, cpuMs, () => searchText(search, createBudget(cpuMs, allowance)));
  const found = await runInlineFirst(compute, { kind: 'search', ...search }, begin);
  const { matches, text } = isObject(found) ? found : {};
  return { matches: Number(matches), text: String(text) };
}

export function searchText(search: TextSearch, budget: StepBudget): JsonObject {
  const { text, replacement } = search;
  let matches = 0;
  let replaced = '';
  let rest = 0;
  for (const { from, to } of findSpans(search, budget)) {
    if (replacement === undefined) return { matches: 1, text };
    // A match of nothing replaces nothing.
    if (from === to) continue;
    matches++;
    replaced += text.slice(rest, from) + replacement;
    rest = to;
  }
  return { matches, text: replaced + text.slice(rest) };
}

function findSpans({ source, detection, text }: TextSearch, budget: StepBudget): Iterable<Span> {
  if (detection !== undefined) {
    checkMatch(budget, text.length * detectionSteps);
    return detect(detection, text);
  }
  return matchPattern(source, text, budget);
}

/** Each character belongs to several candidates at most. */
const detectionSteps = 4;

function* matchPattern(source: string, text: string, budget: StepBudget): Generator<Span> {
  const pattern = boundedPattern(source, budget);
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const { index: from } = match;
    const to = pattern.lastIndex;
    // After a match of nothing, the next one is searched for behind it.
    if (to === from) pattern.lastIndex++;
    yield { from, to };
    if (pattern.lastIndex > text.length) return;
  }
}
