// Where the words of a question are among live agents: one bounded query for each word and scope.
import { controlTable } from '#lib/dynamo/client.ts';
import { queryFirst } from '#lib/dynamo/query.ts';
import {
  type LiveScope,
  livePartition,
  type PostedAgent,
  parseLivePosting,
} from '#lib/registry/search-index/live-postings.ts';
import { prefixMin } from '#lib/registry/search-index/words.ts';
import { type Match, prefixShare, type WordMatches } from './rank.ts';

export interface LiveCandidate {
  readonly id: string;
  readonly agent: PostedAgent;
}

/** Of one word in one scope, heaviest first: some 130 bytes each, so 5 read units. */
export const postingsMax = 250;

/** One call for each scope, as long as DynamoDB ends no page early. Reads are eventually consistent: an agent may be missing for some milliseconds after its promotion. */
export async function findLiveWord(
  scopes: readonly LiveScope[],
  word: string,
): Promise<WordMatches<LiveCandidate>> {
  const found = await Promise.all(
    scopes.map((scope) => readKeys(livePartition(scope, word), beginningOf(word))),
  );
  return toMatches(word, found.flat());
}

/** Of the sort keys: whole words come before longer ones. */
export const beginningOf = (word: string): string => (word.length < prefixMin ? `${word}#` : word);

async function readKeys(partition: string, beginning: string): Promise<string[]> {
  const items = await queryFirst(
    controlTable,
    {
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :beginning)',
      ExpressionAttributeValues: { ':pk': partition, ':beginning': beginning },
      ProjectionExpression: 'sk',
    },
    postingsMax,
  );
  return items.map(({ sk }) => String(sk));
}

/** Of several words that begin alike, a candidate has the heaviest. */
export function toMatches(word: string, sortKeys: readonly string[]): WordMatches<LiveCandidate> {
  const postings = sortKeys.map(parseLivePosting);
  const whole = postings.filter((each) => each.word === word);
  const isWhole = whole.length > 0;
  const share = isWhole ? 1 : prefixShare;
  const best = new Map<string, Match<LiveCandidate>>();
  for (const { agent, weight } of isWhole ? whole : postings) {
    const match = { candidate: { id: agent.search_id, agent }, weight: weight * share };
    if ((best.get(agent.search_id)?.weight ?? 0) < match.weight) best.set(agent.search_id, match);
  }
  return { matches: [...best.values()], isWhole };
}
