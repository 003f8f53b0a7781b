// Discovery: the agents that match a query best, among those the caller may see. The index proposes
// candidates, the rows themselves decide.
import * as z from 'zod';
import { a2aRegistryAccess } from '#lib/access/a2a-registry-access.ts';
import { type Caller, mayUseWorkspace } from '#lib/access/caller.ts';
import { type CursorBinding, readCursor, writeCursor } from '#lib/dynamo/cursor.ts';
import { jsonBytes } from '#lib/json/size.ts';
import { readRows } from '#lib/registry/row/row-items.ts';
import type { Status, StoredRow, Visibility } from '#lib/registry/row/stored-row.ts';
import { type Facets, readFacets, type SearchDocument } from '#lib/registry/search-index/document.ts';
import { buildPartition, livePartition, publicPartition } from '#lib/registry/search-index/index-changes.ts';
import type { Corpus } from './corpus.ts';
import { byAge, byRank, type Ranked, rank } from './rank.ts';
import { loadCorpus } from './snapshot.ts';

export interface SearchQuery {
  /** Without it every agent that fits is found, none better than another. */
  readonly q?: string | undefined;
  readonly tag?: readonly string[] | undefined;
  readonly input_mode?: readonly string[] | undefined;
  readonly output_mode?: readonly string[] | undefined;
  /** Default: live. */
  readonly status?: Status | undefined;
  readonly visibility?: Visibility | undefined;
  /** Default: best first. Newest means built last. */
  readonly order?: 'newest' | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface Hit {
  readonly row: StoredRow;
  readonly score: number;
}

const limitDefault = 10;
const pageBytesMax = 4_000_000;

/** Three AWS calls when warm: what is new of two partitions, and the rows. */
export async function search(
  caller: Caller,
  query: SearchQuery,
  at: string,
): Promise<{ hits: Hit[]; nextCursor: string | undefined }> {
  const { cursor, limit = limitDefault } = query;
  const binding = cursorBinding(caller, query);
  const after = cursor === undefined ? undefined : await readPosition(cursor, binding);
  const corpora = await candidates(caller, query.status ?? 'live', Date.parse(at));
  const mayFind = (document: SearchDocument) =>
    corpora.mayFind(document) &&
    isVisible(document, query) &&
    fits(document, query) &&
    mayFindHere(caller, query, document);
  const compare = query.order === 'newest' ? byAge : byRank;
  const { ranked, rarities } = rank(corpora.searched, query.q, mayFind, after?.rarities);
  const rest = ranked.filter((hit) => !after || compare(hit, after) > 0).sort(compare);
  const found = await confirmed(caller, query, rest, limit + 1);
  const hits = withinBytes(found.slice(0, limit));
  const last = hits.at(-1);
  const nextCursor =
    found.length > hits.length && last
      ? await writeCursor(binding, [last.score, last.row.a2aregistryid, ...rarities])
      : undefined;
  return { hits, nextCursor };
}

function cursorBinding(caller: Caller, query: SearchQuery): CursorBinding {
  const { q, tag, input_mode, output_mode, status, visibility, order } = query;
  return { list: 'search', caller, query: { q, tag, input_mode, output_mode, status, visibility, order } };
}

/**
 * Where a page ended: the score and the id of its last hit, and what the terms counted on the first page. They count
 * the same on all pages: otherwise an agent that is registered meanwhile would change the scores, and a page would
 * lose hits or repeat them.
 */
const lastHit = z.tuple([z.number(), z.string()], z.number());

async function readPosition(cursor: string, binding: CursorBinding) {
  const [score, id, ...rarities] = await readCursor(cursor, binding, lastHit);
  return { score, document: { id }, rarities };
}

interface Candidates {
  readonly searched: readonly Corpus[];
  readonly mayFind: (document: SearchDocument) => boolean;
}

/**
 * Live: the public agents of the tenant and all of the own organisation. Test: builds of the own organisation
 * that are not live.
 */
async function candidates(caller: Caller, status: Status, now: number): Promise<Candidates> {
  const [live, other] = await Promise.all([
    loadCorpus(livePartition(caller.orgid), now),
    loadCorpus(status === 'live' ? publicPartition : buildPartition(caller.orgid), now),
  ]);
  if (status === 'live') return { searched: [live, other], mayFind: () => true };
  const liveIds = new Set(live.documents().map(({ id }) => id));
  return { searched: [other], mayFind: ({ id }) => !liveIds.has(id) };
}

/** Checked for the document, which makes the agent a candidate, and again for the row, which decides. */
function mayFindHere(
  caller: Caller,
  { status }: SearchQuery,
  agent: Pick<StoredRow, 'orgid' | 'workspaceid' | 'visibility'>,
): boolean {
  if (status === 'test') return agent.orgid === caller.orgid && mayUseWorkspace(caller, agent.workspaceid);
  return a2aRegistryAccess(agent, caller);
}

/** Values of one filter are alternatives; filters combine. */
function fits(facets: Facets, { tag, input_mode, output_mode }: SearchQuery): boolean {
  return (
    hasOne(facets.tags, tag) &&
    hasOne(facets.input_modes, input_mode) &&
    hasOne(facets.output_modes, output_mode)
  );
}

const isVisible = (agent: Pick<StoredRow, 'visibility'>, { visibility }: SearchQuery): boolean =>
  visibility === undefined || agent.visibility === visibility;

const hasOne = (values: readonly string[], wanted: readonly string[] | undefined): boolean =>
  wanted === undefined || wanted.some((each) => values.includes(each.toLowerCase()));

/**
 * Reads the current rows of the best candidates, and drops those that were deleted, demoted or made private.
 */
async function confirmed(
  caller: Caller,
  query: SearchQuery,
  ranked: readonly Ranked[],
  wanted: number,
): Promise<Hit[]> {
  const hits: Hit[] = [];
  for (let next = 0; next < ranked.length && hits.length < wanted; next += wanted) {
    const some = ranked.slice(next, next + wanted);
    const rows = await readRows(some.map(({ document }) => document.id));
    for (const { document, score } of some) {
      const row = rows.get(document.id);
      if (!row || row.status !== (query.status ?? 'live')) continue;
      if (!isVisible(row, query) || !fits(readFacets(row), query)) continue;
      if (mayFindHere(caller, query, row)) hits.push({ row, score });
    }
  }
  return hits.slice(0, wanted);
}

/** At least one, and as many as fit into an answer: Lambda takes 6 MB, and a card is 150 KB at most. */
function withinBytes(hits: readonly Hit[]): Hit[] {
  let bytes = 0;
  return hits.filter(({ row }, n) => {
    bytes += jsonBytes(row.card);
    return n === 0 || bytes <= pageBytesMax;
  });
}
