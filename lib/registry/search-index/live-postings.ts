// Postings of live agents: one small item for each word of a card, by which the search finds the agent. They name the
// flow, so a promotion of a build with the same words writes none. As those of lists, they are written before the
// transaction that makes them valid and deleted after the one that ends that: a process that dies in between leaves too
// many, which the search skips, and never too few.
import { batchDelete, batchPut } from '#lib/dynamo/batch.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import type { Key } from '#lib/dynamo/items.ts';
import { newPostingsId } from '#lib/ids.ts';
import type { StoredRow } from '../row/stored-row.ts';
import { type Described, heaviestTerms } from './card-terms.ts';
import { toKeyWord, wordStart } from './words.ts';

export type SearchedRow = Described &
  Pick<StoredRow, 'orgid' | 'workspaceid' | 'visibility' | 'search_id' | 'status'>;

/** What one reader may see: the live agents of its organisation, or all that are public. */
export type LiveScope = { readonly orgid: string } | 'public';

const partitionPrefix = (scope: LiveScope): string =>
  scope === 'public' ? 'SEARCH#PUBLIC' : `SEARCH#LIVE#${scope.orgid}`;

export const livePartition = (scope: LiveScope, word: string): string =>
  `${partitionPrefix(scope)}#${wordStart(word)}`;

/** A live agent as its postings name it. */
export interface PostedAgent {
  readonly orgid: string;
  readonly workspaceid: string;
  readonly flowid: string;
  /** The write of postings that made it; sorts by time. The live build has it too, unless the posting is a leftover. */
  readonly search_id: string;
}

/** Sorts heavy words first. Tenths of a weight, which is below 1,000. */
const weightEnd = 9_999;

export function livePostingKeys(row: SearchedRow): Key[] {
  const { search_id } = row;
  if (search_id === undefined) return [];
  const { orgid, workspaceid, flowid, visibility } = row;
  const scopes: LiveScope[] = visibility === 'public' ? [{ orgid }, 'public'] : [{ orgid }];
  return heaviestTerms(row).flatMap(([term, weight]) => {
    const word = toKeyWord(term);
    const order = String(weightEnd - weight).padStart(4, '0');
    const sk = [word, order, orgid, workspaceid, flowid, search_id].join('#');
    return scopes.map((scope) => ({ pk: livePartition(scope, word), sk }));
  });
}

export interface Posting {
  readonly word: string;
  readonly weight: number;
  readonly agent: PostedAgent;
}

export function parseLivePosting(sk: string): Posting {
  const [word = '', order, orgid = '', workspaceid = '', flowid = '', search_id = ''] = sk.split('#');
  return { word, weight: weightEnd - Number(order), agent: { orgid, workspaceid, flowid, search_id } };
}

export interface LiveRevision {
  /** Of the postings of the agent after the write. */
  readonly search_id: string;
  /** To be written before the transaction, and deleted if it fails. */
  readonly added: readonly Key[];
  /** To be deleted after it. */
  readonly dropped: readonly Key[];
}

/**
 * For a build that goes live, or is updated while it is. `former` is the live build of the flow until then, in the very
 * version that the transaction replaces. The id of a write is never used for other words, so nobody deletes postings
 * that another write needs.
 */
export function reviseLive(row: SearchedRow, former: SearchedRow | undefined): LiveRevision {
  if (former?.search_id !== undefined && describe(former) === describe(row))
    return { search_id: former.search_id, added: [], dropped: [] };
  const search_id = newPostingsId();
  return {
    search_id,
    added: livePostingKeys({ ...row, search_id }),
    dropped: former ? livePostingKeys(former) : [],
  };
}

const describe = (row: SearchedRow): string => JSON.stringify([row.visibility, heaviestTerms(row)]);

/** One call for each 25. */
export const writeLivePostings = async (keys: readonly Key[]): Promise<void> =>
  await batchPut(controlTable, keys);

export const removeLivePostings = async (keys: readonly Key[]): Promise<void> =>
  await batchDelete(controlTable, keys);
