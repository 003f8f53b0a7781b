// Finds the known name that a misspelled one probably means, for messages.

/** Longer names are not compared. */
const charsMax = 64;
/** Known names that are compared. */
export const comparedMax = 500;
/** For one compared name, in the units of the step budgets: 1 µs. */
export const comparisonUnits = 40;

/**
 * The known name with the fewest edits, or with the same letters in another notation (`maxTokens` for `max_tokens`) or
 * with its words swapped (`formatDate` for `dateFormat`);
 * undefined if none is near. Call it only for messages that are shown.
 */
export function nearName(name: string, known: Iterable<string>): string | undefined {
  if (name.length === 0 || name.length > charsMax) return undefined;
  const max = editsMax(name);
  const wanted = letters(name);
  let best: { readonly name: string; readonly edits: number } | undefined;
  let compared = 0;
  for (const candidate of known) {
    if (compared++ === comparedMax) break;
    if (candidate.length > charsMax || Math.abs(candidate.length - name.length) > notationCharsMax) continue;
    const given = letters(candidate);
    const edits =
      given === wanted || isRotated(wanted, given)
        ? 0
        : countEdits(name, candidate, best ? best.edits - 1 : max);
    if (edits !== undefined && edits < (best?.edits ?? max + 1)) best = { name: candidate, edits };
    if (best?.edits === 0) break;
  }
  return best?.name;
}

/** In a short name, one letter makes another word. */
const editsMax = ({ length }: string): number => (length < 3 ? 0 : length < 6 ? 1 : 2);

/** By how many characters two notations of a name may differ. */
const notationCharsMax = 4;

const letters = (name: string): string => name.toLowerCase().replaceAll('_', '').replaceAll('-', '');

/** Shorter names have one word. */
const rotatedCharsMin = 6;

/** Whether two words are swapped. */
const isRotated = (name: string, other: string): boolean =>
  name.length >= rotatedCharsMin && name.length === other.length && (other + other).includes(name);

/** The last rows of the table of `countEdits`: that of the row before the last, of the last, and the present one. */
const newRow = () => new Uint8Array(charsMax + 1);
const first = newRow();
const second = newRow();
const third = newRow();

/**
 * Letters that are inserted, removed or replaced, and neighbours that are swapped; undefined above the maximum.
 * Only cells near the diagonal are computed, which is at most 5 for each letter.
 */
function countEdits(from: string, to: string, max: number): number | undefined {
  if (Math.abs(from.length - to.length) > max) return undefined;
  let beforeLast = first;
  let last = second;
  let now = third;
  for (let column = 0; column <= to.length; column++) last[column] = column;
  for (let row = 1; row <= from.length; row++) {
    now.fill(max + 1);
    now[0] = Math.min(row, max + 1);
    let least = now[0];
    for (let column = Math.max(1, row - max); column <= Math.min(to.length, row + max); column++) {
      const isSame = from.charCodeAt(row - 1) === to.charCodeAt(column - 1);
      let edits = (last[column - 1] ?? 0) + (isSame ? 0 : 1);
      edits = Math.min(edits, (last[column] ?? 0) + 1, (now[column - 1] ?? 0) + 1);
      if (row > 1 && column > 1 && isSwapped(from, row, to, column))
        edits = Math.min(edits, (beforeLast[column - 2] ?? 0) + 1);
      now[column] = edits;
      least = Math.min(least, edits);
    }
    if (least > max) return undefined;
    [beforeLast, last, now] = [last, now, beforeLast];
  }
  const edits = last[to.length] ?? max + 1;
  return edits <= max ? edits : undefined;
}

const isSwapped = (from: string, row: number, to: string, column: number): boolean =>
  from.charCodeAt(row - 1) === to.charCodeAt(column - 2) &&
  from.charCodeAt(row - 2) === to.charCodeAt(column - 1);
