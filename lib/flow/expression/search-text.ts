// Searches a text for a regular expression of a flow, in linear time for each match and within the budget of an
// evaluation. Loaded for flows with guardrails.
import type { JsonObject } from '#lib/json/json.ts';
import { isObject } from '../format/json-value.ts';
import { type Allowance, type Compute, chargeAllowance, runInlineFirst, type TextSearch } from './compute.ts';
import { boundedPattern } from './regex.ts';
import { createBudget, type StepBudget } from './step-budget.ts';

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

export function searchText({ source, text, replacement }: TextSearch, budget: StepBudget): JsonObject {
  const pattern = boundedPattern(source, budget);
  let matches = 0;
  let replaced = '';
  let from = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    if (replacement === undefined) return { matches: 1, text };
    const end = pattern.lastIndex;
    // A match of nothing replaces nothing, and the next one is searched for after it.
    if (end === match.index) pattern.lastIndex++;
    else {
      matches++;
      replaced += text.slice(from, match.index) + replacement;
      from = end;
    }
    if (pattern.lastIndex > text.length) break;
  }
  return { matches, text: replaced + text.slice(from) };
}
