// The values by which a list finds rows, besides flow and status: texts such as `TAG#value`, computed in the
// same way for rows and for queries. Words are split as for discovery.
import { createHash } from 'node:crypto';
import type { StoredRow } from '../row/stored-row.ts';
import { heaviestTerms, readFacets } from '../search-index/document.ts';
import { extractTerms } from '../search-index/terms.ts';

type Kind = 'VISIBILITY' | 'TAG' | 'INPUT' | 'OUTPUT' | 'WORD';

/**
 * For each kind. A card may have some thousand tags; each value is an item more to write, and a little more
 * to the size of the row.
 */
const valuesMax = 256;
/** Longer ones are hashed. */
const lengthMax = 32;

/** Case is ignored. */
export function toValue(kind: Kind, text: string): string {
  const folded = text.toLowerCase();
  if (folded.length <= lengthMax) return `${kind}#${folded}`;
  return `${kind}#${createHash('sha256').update(folded).digest('base64url').slice(0, 22)}`;
}

export function collectValues(
  row: Pick<StoredRow, 'card' | 'tags' | 'untagged_skills' | 'flowid' | 'visibility'>,
): Set<string> {
  const { tags, input_modes, output_modes } = readFacets(row);
  const texts: Record<Kind, readonly string[]> = {
    VISIBILITY: [row.visibility],
    TAG: tags,
    INPUT: input_modes,
    OUTPUT: output_modes,
    WORD: heaviestTerms(row).map(([term]) => term),
  };
  const kinds = Object.keys(texts) as (keyof typeof texts)[];
  return new Set(kinds.flatMap((kind) => texts[kind].slice(0, valuesMax).map((text) => toValue(kind, text))));
}

/** The words of a query, without stop words such as "the". */
export const parseWords = (q: string): string[] => [
  ...new Set(extractTerms(q).map((term) => toValue('WORD', term))),
];
