// What a row can be found by in a list, besides its flow and its status: each is a text `KIND#value`, made here for rows and for questions
// alike. Words are those of discovery.
import { createHash } from 'node:crypto';
import { facetsOf, heaviestTerms } from '../search-index/document.ts';
import { termsOf } from '../search-index/terms.ts';
import type { StoredRow } from '../stored-row.ts';

type Kind = 'VISIBILITY' | 'TAG' | 'INPUT' | 'OUTPUT' | 'WORD';

/** Of one kind. A card may have some thousand tags; each value is an item more to write, and a little more to the size of the row. */
const valuesMax = 256;
/** Longer ones are hashed. */
const lengthMax = 32;

/** In any case. */
export function valueFor(kind: Kind, text: string): string {
  const folded = text.toLowerCase();
  if (folded.length <= lengthMax) return `${kind}#${folded}`;
  return `${kind}#${createHash('sha256').update(folded).digest('base64url').slice(0, 22)}`;
}

export function valuesOf(row: Pick<StoredRow, 'card' | 'tags' | 'flowid' | 'visibility'>): Set<string> {
  const { tags, input_modes, output_modes } = facetsOf(row);
  const texts: Record<Kind, readonly string[]> = {
    VISIBILITY: [row.visibility],
    TAG: tags,
    INPUT: input_modes,
    OUTPUT: output_modes,
    WORD: heaviestTerms(row).map(([term]) => term),
  };
  const kinds = Object.keys(texts) as (keyof typeof texts)[];
  return new Set(
    kinds.flatMap((kind) => texts[kind].slice(0, valuesMax).map((text) => valueFor(kind, text))),
  );
}

/** Of a question. Words that say nothing, such as "the", are none. */
export const wordsOf = (q: string): string[] => [
  ...new Set(termsOf(q).map((term) => valueFor('WORD', term))),
];
