// Postings: one small item for each value that a row is found by. They are written before the transaction that makes the row say so, and removed
// after the one that makes it say so no more. A process that dies in between leaves postings too many, which readers skip, and never one too few.
import { batchDelete, batchPut } from '#lib/dynamo/batch.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import { newPostingsId } from '#lib/ids.ts';
import { postingPartition } from '../keys.ts';
import { listPosition, type StoredRow } from '../stored-row.ts';
import { valuesOf } from './value.ts';

/** Values by the write that made their postings. A posting belongs to that write alone, so nobody ever removes one that another row version needs. */
export type Postings = NonNullable<StoredRow['postings']>;
type Place = Pick<StoredRow, 'orgid' | 'workspaceid' | 'a2aregistryid' | 'created_at'>;

export interface Revision {
  /** Of the row once it is written. */
  readonly postings: Postings;
  /** To write before. */
  readonly added: Postings;
  /** To remove after. */
  readonly dropped: Postings;
}

/** What must change so that the row is found by what it says now, and by no more. */
export function revise(before: Postings, row: Parameters<typeof valuesOf>[0]): Revision {
  const wanted = valuesOf(row);
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

/** One call for each 25, and none for none. */
export const writePostings = async (place: Place, postings: Postings): Promise<void> =>
  await batchPut(controlTable, postingKeys(place, postings));

export const removePostings = async (place: Place, postings: Postings = {}): Promise<void> =>
  await batchDelete(controlTable, postingKeys(place, postings));

export const postingKeys = (place: Place, postings: Postings) =>
  Object.entries(postings).flatMap(([write, values]) =>
    values.map((value) => ({
      pk: postingPartition(place.orgid, place.workspaceid, value),
      sk: `${listPosition(place)}#${write}`,
    })),
  );

const only = (postings: Postings, isWanted: (value: string) => boolean): Postings =>
  Object.fromEntries(
    Object.entries(postings)
      .map(([write, values]) => [write, values.filter(isWanted)] as const)
      .filter(([, values]) => values.length > 0),
  );
