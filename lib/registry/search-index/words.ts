// Words as they are in the keys of postings.
import { createHash } from 'node:crypto';

/** Longer ones are hashed, and found as a whole only. */
const wordLengthMax = 32;

/** Case is ignored. */
export function toKeyWord(text: string): string {
  const folded = text.toLowerCase();
  if (folded.length <= wordLengthMax) return folded;
  return createHash('sha256').update(folded).digest('base64url').slice(0, 22);
}

/** Shorter beginnings of words say too little to find anything by. */
export const prefixMin = 3;

/** Words that begin alike share a partition, so that one query finds a word and all longer ones. */
export const wordStart = (word: string): string => [...word].slice(0, prefixMin).join('');
