// Postings: one small item for each value that a row is found by. They are written before the transaction
// that gives the row the value, and deleted after the one that takes it away. A process that dies in between
// leaves too many postings, which readers skip, and never too few.
import { batchDelete, batchPut } from '#lib/dynamo/batch.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import type { Key } from '#lib/dynamo/items.ts';
import { newPostingsId } from '#lib/ids.ts';
import type { StoredRow } from '../row/stored-row.ts';
import { type PostedRow, postingKey } from './posting-keys.ts';
import { collectValues } from './value.ts';

/**
 * Values by the write that made their postings. A posting belongs to that write alone, so nobody ever removes
 * one that another row version needs.
 */
export type Postings = NonNullable<StoredRow['postings']>;

export interface Revision {
  /** The postings of the row after the write. */
  readonly postings: Postings;
  /** To be written before the row. */
  readonly added: Postings;
  /** To be deleted after the row is written. */
  readonly dropped: Postings;
}

/** Computes which postings to add and to drop, so that the row is found by exactly its current values. */
export function revise(before: Postings, row: Parameters<typeof collectValues>[0]): Revision {
  const wanted = collectValues(row);
  const kept = only(before, (value) => wanted.has(value));
  const held = new Set(Object.values(kept).flat());
  const missing = [...wanted].filter((value) => !held.has(value));
  const added = missing.length > 0 ? { [newPostingsId()]: missing } : {};
  return {
    postings: { ...kept, ...added },
    added,
    dropped: only(before, (value) => !wanted.has(value)),
  };
}

/** One call for each 25 postings. */
export const writePostings = async (row: PostedRow, postings: Postings): Promise<void> =>
  await batchPut(controlTable, postingKeys(row, postings));

export const removePostings = async (row: PostedRow, postings: Postings = {}): Promise<void> =>
  await batchDelete(controlTable, postingKeys(row, postings));

export const postingKeys = (row: PostedRow, postings: Postings): Key[] =>
  Object.entries(postings).flatMap(([write, values]) => values.map((value) => postingKey(row, value, write)));

const only = (postings: Postings, isWanted: (value: string) => boolean): Postings =>
  Object.fromEntries(
    Object.entries(postings)
      .map(([write, values]) => [write, values.filter(isWanted)] as const)
      .filter(([, values]) => values.length > 0),
  );
