// The values by which a list finds rows, besides flow and status: texts such as `TAG#value`, computed in the
// same way for rows and for queries. Words are split as for discovery.
import type { StoredRow } from '../row/stored-row.ts';
import { heaviestTerms, readFacets } from '../search-index/card-terms.ts';
import { extractTerms } from '../search-index/terms.ts';
import { toKeyWord } from '../search-index/words.ts';

/** `BUILD` has one value, which all builds have. Rows of earlier forms have `WORD` in place of `TERM`. */
type Kind = 'VISIBILITY' | 'TAG' | 'INPUT' | 'OUTPUT' | 'TERM' | 'BUILD';

/**
 * For each kind. A card may have some thousand tags; each value is an item more to write, and a little more
 * to the size of the row.
 */
const valuesMax = 256;
/** Case is ignored, and long texts are hashed. */
export const toValue = (kind: Kind, text: string): string => `${kind}#${toKeyWord(text)}`;

export function collectValues(
  row: Pick<StoredRow, 'card' | 'tags' | 'untagged_skills' | 'flowid' | 'visibility'>,
): Set<string> {
  const { tags, input_modes, output_modes } = readFacets(row);
  const texts: Record<Kind, readonly string[]> = {
    VISIBILITY: [row.visibility],
    TAG: tags,
    INPUT: input_modes,
    OUTPUT: output_modes,
    TERM: heaviestTerms(row).map(([term]) => term),
    BUILD: ['all'],
  };
  const kinds = Object.keys(texts) as (keyof typeof texts)[];
  return new Set(kinds.flatMap((kind) => texts[kind].slice(0, valuesMax).map((text) => toValue(kind, text))));
}

/** The words of a query, without stop words such as "the". */
export const parseWords = (q: string): string[] => [
  ...new Set(extractTerms(q).map((term) => toValue('TERM', term))),
];
