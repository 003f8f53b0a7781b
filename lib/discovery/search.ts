// Discovery: the agents that match a query best, among those the caller may see. Postings propose candidates, the rows
// themselves decide. What a search reads is bounded, whatever the number of agents.
import * as z from 'zod';
import type { Caller } from '#lib/access/caller.ts';
import { type CursorBinding, readCursor, writeCursor } from '#lib/dynamo/cursor.ts';
import type { Status, Visibility } from '#lib/registry/row/stored-row.ts';
import type { LiveScope } from '#lib/registry/search-index/live-postings.ts';
import { findBuildWord } from './build-words.ts';
import { confirmBuilds, confirmLive, type Hit } from './confirm.ts';
import { findLiveWord } from './live-words.ts';
import { listBuilds, listLive } from './newest.ts';
import { fillPage, type Page, toSource } from './page.ts';
import { parseQuestion, type Question, scoreRow } from './question.ts';
import { byRank, type Ranking, rank } from './rank.ts';

export type { Hit } from './confirm.ts';

export interface SearchQuery {
  /** Without it every agent that fits is found, the newest first. */
  readonly q?: string | undefined;
  readonly tag?: readonly string[] | undefined;
  readonly input_mode?: readonly string[] | undefined;
  readonly output_mode?: readonly string[] | undefined;
  /** Default: live. */
  readonly status?: Status | undefined;
  readonly visibility?: Visibility | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

const limitDefault = 10;

export async function search(
  caller: Caller,
  query: SearchQuery,
): Promise<{ hits: readonly Hit[]; nextCursor: string | undefined }> {
  const binding = cursorBinding(caller, query);
  const after = query.cursor === undefined ? undefined : await readCursor(query.cursor, binding, lastRead);
  const { hits, next } = await readPage(caller, query, after);
  return { hits, nextCursor: next && (await writeCursor(binding, next)) };
}

function cursorBinding(caller: Caller, query: SearchQuery): CursorBinding {
  const { q, tag, input_mode, output_mode, status, visibility } = query;
  return { list: 'search', caller, query: { q, tag, input_mode, output_mode, status, visibility } };
}

/**
 * Where a page ended: the score and the id of the last candidate, and what the words counted on the first page. They
 * count the same on all pages: otherwise an agent that is registered meanwhile would change the scores, and a page would
 * lose hits or repeat them. Of a page without a question: 0, and a position in the list.
 */
const lastRead = z.tuple([z.number(), z.string()], z.number());
type LastRead = z.infer<typeof lastRead>;

async function readPage(
  caller: Caller,
  query: SearchQuery,
  after: LastRead | undefined,
): Promise<Page<LastRead>> {
  const { q, tag } = query;
  if (q === undefined) return await readNewest(caller, query, after?.[1]);
  const question = parseQuestion(q, tag);
  if (question.words.length === 0) return { hits: [], next: undefined };
  return query.status === 'test'
    ? await readBuilds(caller, query, question, after)
    : await readLive(caller, query, question, after);
}

/** What the caller may see that is live: of its organisation, and public of the tenant. */
function scopesOf({ orgid }: Caller, { visibility }: SearchQuery): LiveScope[] {
  if (visibility === 'public') return ['public'];
  return visibility === 'organization' ? [{ orgid }] : [{ orgid }, 'public'];
}

async function readNewest(
  caller: Caller,
  query: SearchQuery,
  after: string | undefined,
): Promise<Page<LastRead>> {
  const { limit = limitDefault, status } = query;
  const { hits, next } = await fillPage({
    limit,
    after,
    read: async (position, count) =>
      status === 'test'
        ? await listBuilds(caller, position, count)
        : await listLive(scopesOf(caller, query), position, count),
    confirm: async (listed) => await confirmBuilds(caller, query, listed, () => 0),
    toPosition: ({ position }) => position,
  });
  return { hits, next: next === undefined ? undefined : [0, next] };
}

/** At most one call for each word and scope, and two for each round of candidates. */
async function readLive(
  caller: Caller,
  query: SearchQuery,
  question: Question,
  after: LastRead | undefined,
): Promise<Page<LastRead>> {
  const { limit = limitDefault } = query;
  const scopes = scopesOf(caller, query);
  const ranking = await rankWords(question, after, async (word) => await findLiveWord(scopes, word));
  const { hits, next } = await fillPage({
    limit,
    ...toSource(ranking.ranked, toRank(after), byRank),
    confirm: async (ranked) =>
      await confirmLive(
        caller,
        query,
        ranked.map(({ candidate }) => candidate),
        (row) => scoreRow(row, question, ranking),
      ),
    toPosition: (ranked) => ranked,
  });
  // Where many agents have a word, not every posting of it has been read. The cards know better.
  return { hits: hits.toSorted(byHit), next: next && toLastRead(next.score, next.candidate.id, ranking) };
}

/** The best candidates are read before they are ranked, since the postings of builds have no weights. */
const buildsMax = 100;

async function readBuilds(
  caller: Caller,
  query: SearchQuery,
  question: Question,
  after: LastRead | undefined,
): Promise<Page<LastRead>> {
  const { limit = limitDefault } = query;
  const ranking = await rankWords(question, after, async (word) => await findBuildWord(caller, word));
  const candidates = ranking.ranked.slice(0, buildsMax).map(({ candidate }) => candidate);
  const score = (row: Hit['row']) => scoreRow(row, question, ranking);
  const hits = (await confirmBuilds(caller, query, candidates, score)).filter((hit) => hit !== undefined);
  const { hits: shown, next } = await fillPage({
    limit,
    ...toSource(hits.map(toRanked), toRank(after), byRank),
    confirm: async (ranked) => ranked.map(({ candidate }) => candidate.hit),
    toPosition: (ranked) => ranked,
  });
  return { hits: shown, next: next && toLastRead(next.score, next.candidate.id, ranking) };
}

async function rankWords<C extends { readonly id: string }>(
  { words, tagWords }: Question,
  after: LastRead | undefined,
  find: (word: string) => Promise<Parameters<typeof rank<C>>[0][number]>,
): Promise<Ranking<C>> {
  const [, , ...rarities] = after ?? [];
  return rank(await Promise.all([...words, ...tagWords].map(find)), rarities);
}

const toRanked = (hit: Hit) => ({ candidate: { id: hit.row.a2aregistryid, hit }, score: hit.score });

const toRank = (after: LastRead | undefined) => after && { score: after[0], candidate: { id: after[1] } };

const toLastRead = (score: number, id: string, { rarities }: Ranking<unknown>): LastRead => [
  score,
  id,
  ...rarities,
];

const byHit = (a: Hit, b: Hit): number => byRank(toRanked(a), toRanked(b));
