// The passages that tools of kind `knowledge` have found, by numbers that are valid for the whole run of the agent and its
// child agents, and which of them an answer cites.
import * as z from 'zod';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { truncate } from '#lib/truncate.ts';
import { asText } from '../expression/text.ts';
import { knowledgeLimits } from './knowledge-limits.ts';

export interface FoundPassage {
  readonly text: string;
  readonly source: string;
  readonly score: number | null;
}

/** What is remembered of a passage: the beginning of its text. */
export const passage = z.object({ source: z.string(), text: z.string(), score: z.number().nullable() });
export type Passage = z.infer<typeof passage>;

/**
 * Adds passages to those that are known, and returns them with their ids. One that was found before keeps its id. When
 * there are too many, the next ones have none and cannot be cited.
 */
export function addPassages(known: Passage[], found: readonly FoundPassage[]): JsonObject[] {
  return found.map((one) => {
    const kept = { ...one, text: truncate(one.text, knowledgeLimits.citationChars) };
    const at = known.findIndex(({ source, text }) => source === kept.source && text === kept.text);
    if (at >= 0) return { id: at + 1, ...one };
    if (known.length >= knowledgeLimits.passagesMax) return { id: null, ...one };
    return { id: known.push(kept), ...one };
  });
}

/** The passages whose ids are in square brackets in the answer, in the order of their first mention. */
export function findCitations(known: readonly Passage[], answer: Json): JsonObject[] {
  const ids = new Set<number>();
  for (const [, list = ''] of asText(answer).matchAll(/\[(\d{1,4}(?:, ?\d{1,4}){0,20})\]/g))
    for (const id of list.split(',')) ids.add(Number(id));
  return [...ids].flatMap((id) => {
    const cited = known[id - 1];
    return cited ? [{ id, ...cited }] : [];
  });
}
