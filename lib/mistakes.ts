// How mistakes in a request are listed: the first ones, each in a bounded text, and how many there are. A
// list that grew with the request would let a caller choose the size of the answer, and the time and memory
// that it takes to make it.
import { pointerTo } from '#lib/json/pointer.ts';
import { truncateToJsonBytes } from './truncate.ts';

/**
 * One mistake in the input: where (RFC 6901, from the root of the part named first: `/body`, `/query`,
 * `/path`, `/headers`) and what was expected.
 */
export interface FieldError {
  readonly pointer: string;
  readonly detail: string;
  /** The position in a body that people write, from 1. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** The number of mistakes that a response lists. */
export const mistakesMax = 20;
/**
 * Bytes of JSON. Twenty mistakes of this size are 41 KB: no list of mistakes makes an answer of more than 64
 * KB.
 */
const textBytesMax = 1_024;

export interface MistakeList {
  /** The first of them. */
  readonly listed: FieldError[];
  /** All that were found. */
  total: number;
}

export const newMistakeList = (): MistakeList => ({ listed: [], total: 0 });

/** `at` is a pointer, or the path of one. The mistake is formatted only if it will be listed. */
export function addMistake(list: MistakeList, at: string | readonly PropertyKey[], detail: string): void {
  list.total += 1;
  if (list.listed.length >= mistakesMax) return;
  const pointer = typeof at === 'string' ? at : pointerTo(at);
  list.listed.push(boundedMistake({ pointer, detail }));
}

/** Pointer and detail may name what a caller has sent, such as a member with a name of 200 KB. */
export const boundedMistake = <M extends FieldError>(mistake: M): M => ({
  ...mistake,
  pointer: truncateToJsonBytes(mistake.pointer, textBytesMax),
  detail: truncateToJsonBytes(mistake.detail, textBytesMax),
});
