// Which mistakes of a refused request belong to which field of a form. Pure.
import { words } from './words.ts';

/** The pointers (RFC 6901) of the members of the request that the fields of a form set, by their names. */
export type FieldPointers = Readonly<Record<string, string>>;

/** As the errors of the API list them (RFC 9457). */
type Mistakes = readonly { readonly pointer: string; readonly detail: string }[];

export interface PlacedMistakes {
  /** What to say at each field, by its name. */
  readonly atFields: ReadonlyMap<string, string>;
  /** Those of no field that is shown. */
  readonly others: Mistakes;
}

export const nonePlaced: PlacedMistakes = { atFields: new Map(), others: [] };

/** A mistake inside a member belongs to the field of that member; the longest pointer wins. */
export function placeMistakes(
  mistakes: Mistakes,
  pointers: FieldPointers,
  isShown: (name: string) => boolean,
): PlacedMistakes {
  const shown = Object.entries(pointers)
    .filter(([name]) => isShown(name))
    .toSorted(([, a], [, b]) => b.length - a.length);
  const atFields = new Map<string, string>();
  const others: Mistakes[number][] = [];
  for (const mistake of mistakes) {
    const found = shown.find(([, pointer]) => isWithin(mistake.pointer, pointer));
    if (!found) others.push(mistake);
    else {
      const [name, pointer] = found;
      const text = `${inside(mistake.pointer.slice(pointer.length + 1))}${mistake.detail}`;
      atFields.set(name, [atFields.get(name), text].filter(Boolean).join('; '));
    }
  }
  return { atFields, others };
}

/** Where in a member it is: lists are typed as words, which people count from 1. */
const inside = (rest: string): string =>
  rest === '' ? '' : /^\d+$/.test(rest) ? words.entry(Number(rest) + 1) : `${rest} `;

const isWithin = (pointer: string, outer: string): boolean =>
  pointer === outer || pointer.startsWith(`${outer}/`);
