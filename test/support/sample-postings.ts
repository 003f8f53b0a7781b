// The postings of the sample agents in memory, read as the search reads those of DynamoDB.
import { beginningOf, type LiveCandidate, postingsMax, toMatches } from '#lib/discovery/live-words.ts';
import type { WordMatches } from '#lib/discovery/rank.ts';
import { livePartition, livePostingKeys } from '#lib/registry/search-index/live-postings.ts';
import { sampleAgents } from './sample-agents.ts';

const scope = { orgid: sampleAgents[0]?.orgid ?? '' };
const keys = sampleAgents.flatMap((row) => livePostingKeys({ ...row, search_id: row.a2aregistryid }));

/** Where a word is among the sample agents. */
export function matchSamples(word: string): WordMatches<LiveCandidate> {
  const partition = livePartition(scope, word);
  const found = keys.filter(({ pk, sk }) => pk === partition && sk.startsWith(beginningOf(word)));
  return toMatches(
    word,
    found
      .map(({ sk }) => sk)
      .sort()
      .slice(0, postingsMax),
  );
}
