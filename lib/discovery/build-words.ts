// Where the words of a question are among the builds of an organisation: in the postings by which lists find them, which
// have no weights. One bounded query for each word, or each word and workspace of a caller that has few.
import type { Caller } from '#lib/access/caller.ts';
import { mayUseWorkspace } from '#lib/access/caller.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import { queryFirst } from '#lib/dynamo/query.ts';
import { type PostedBuild, parseWordPosting, wordPartition } from '#lib/registry/listing/posting-keys.ts';
import { prefixMin } from '#lib/registry/search-index/words.ts';
import { postingsMax } from './live-words.ts';
import { prefixShare, type WordMatches } from './rank.ts';

/** Callers with more workspaces read the postings of all workspaces, and skip those of others. */
const workspacesMax = 3;
/** In place of the weight that these postings do not have. */
const usualWeight = 40;

export async function findBuildWord(caller: Caller, word: string): Promise<WordMatches<PostedBuild>> {
  const whole = await findBuilds(caller, word, beginningsOf(caller, word));
  if (whole.length > 0 || word.length < prefixMin) return { matches: weighed(whole, 1), isWhole: true };
  return { matches: weighed(await findBuilds(caller, word, [word]), prefixShare), isWhole: false };
}

function beginningsOf({ workspaces }: Caller, word: string): string[] {
  if (workspaces === '*' || workspaces.size > workspacesMax) return [`${word}#`];
  return [...workspaces].map((workspaceid) => `${word}#${workspaceid}#`);
}

async function findBuilds(
  caller: Caller,
  word: string,
  beginnings: readonly string[],
): Promise<PostedBuild[]> {
  const found = await Promise.all(
    beginnings.map((beginning) => readKeys(wordPartition(caller.orgid, word), beginning)),
  );
  const builds = found
    .flat()
    .map(parseWordPosting)
    .filter(({ workspaceid }) => mayUseWorkspace(caller, workspaceid));
  return [...new Map(builds.map((build) => [build.id, build])).values()];
}

/** Newest first, within a workspace. */
async function readKeys(partition: string, beginning: string): Promise<string[]> {
  const items = await queryFirst(
    controlTable,
    {
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :beginning)',
      ExpressionAttributeValues: { ':pk': partition, ':beginning': beginning },
      ScanIndexForward: false,
    },
    postingsMax,
  );
  return items.map(({ sk }) => String(sk));
}

const weighed = (builds: readonly PostedBuild[], share: number) =>
  builds.map((candidate) => ({ candidate, weight: usualWeight * share }));
