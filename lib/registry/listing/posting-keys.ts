// The keys of postings: one small item for each value that a build is found by.
import type { Key } from '#lib/dynamo/items.ts';
import { listPosition } from '../row/row-items.ts';
import type { StoredRow } from '../row/stored-row.ts';
import { wordStart } from '../search-index/words.ts';

export type PostedRow = Pick<StoredRow, 'orgid' | 'workspaceid' | 'a2aregistryid' | 'created_at'>;

/** Sort keys are the prefix, the position of the row in lists, and the id of the write. */
export interface PostingRange {
  readonly key: string;
  readonly prefix: string;
}

/**
 * The postings of one value in one workspace; `value` includes its kind. Those of words are in a partition of the
 * organisation, where the search finds builds of all workspaces by them.
 */
export function postingRange(orgid: string, workspaceid: string, value: string): PostingRange {
  if (!value.startsWith(termKind)) return { key: `WS#${orgid}#${workspaceid}#${value}`, prefix: '' };
  const word = value.slice(termKind.length);
  return { key: wordPartition(orgid, word), prefix: `${word}#${workspaceid}#` };
}

const termKind = 'TERM#';
const buildKind = 'BUILD#';

export const wordPartition = (orgid: string, word: string): string =>
  `SEARCH#WORD#${orgid}#${wordStart(word)}`;

/** All builds of an organisation, by the time of their creation. */
export const buildsPartition = (orgid: string): string => `SEARCH#BUILDS#${orgid}`;

export function postingKey(row: PostedRow, value: string, write: string): Key {
  if (value.startsWith(buildKind))
    return { pk: buildsPartition(row.orgid), sk: `${listPosition(row)}#${row.workspaceid}#${write}` };
  const { key, prefix } = postingRange(row.orgid, row.workspaceid, value);
  return { pk: key, sk: `${prefix}${listPosition(row)}#${write}` };
}

export interface PostedBuild {
  readonly id: string;
  readonly workspaceid: string;
}

/** Of the sort key of a posting of a word: the word and the build. */
export function parseWordPosting(sk: string): PostedBuild & { readonly word: string } {
  const [word = '', workspaceid = '', , id = ''] = sk.split('#');
  return { word, workspaceid, id };
}

/** Of the sort key of the posting that every build has. */
export function parseBuildPosting(sk: string): PostedBuild & { readonly position: string } {
  const [createdAt = '', id = '', workspaceid = ''] = sk.split('#');
  return { position: `${createdAt}#${id}`, id, workspaceid };
}
