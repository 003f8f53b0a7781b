// Agents without a question, newest first: a stretch of the indexes over live flows, or of the postings that all builds
// have.
import { type Caller, mayUseWorkspace } from '#lib/access/caller.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import { queryFirst } from '#lib/dynamo/query.ts';
import { buildsPartition, parseBuildPosting } from '#lib/registry/listing/posting-keys.ts';
import { liveFlowsIndex, publicFlowsIndex } from '#lib/registry/row/row-items.ts';
import type { LiveScope } from '#lib/registry/search-index/live-postings.ts';

/** A build and its position: positions sort by age. */
export interface Listed {
  readonly id: string;
  readonly position: string;
}

export interface Stretch {
  readonly found: readonly Listed[];
  /** Where the next one begins; undefined at the end. */
  readonly next: string | undefined;
}

/** Live builds; the position is the id of the build. One call for each scope. */
export async function listLive(
  scopes: readonly LiveScope[],
  after: string | undefined,
  count: number,
): Promise<Stretch> {
  const ids = await Promise.all(scopes.map((scope) => readIndex(scope, after, count)));
  const sorted = [...new Set(ids.flat())].sort().reverse();
  // Behind that, one of the indexes has not been read.
  const found = sorted.slice(0, count).map((id) => ({ id, position: id }));
  const isAll = ids.every((each) => each.length < count) && found.length === sorted.length;
  return { found, next: isAll ? undefined : found.at(-1)?.position };
}

async function readIndex(scope: LiveScope, after: string | undefined, count: number): Promise<string[]> {
  const [name, partition] =
    scope === 'public'
      ? (['gsi3', publicFlowsIndex] as const)
      : (['gsi2', liveFlowsIndex(scope.orgid)] as const);
  const items = await queryFirst(
    controlTable,
    {
      IndexName: name,
      KeyConditionExpression: `${name}pk = :pk${after === undefined ? '' : ` AND ${name}sk < :after`}`,
      ExpressionAttributeValues: { ':pk': partition, ...(after !== undefined && { ':after': after }) },
      ScanIndexForward: false,
    },
    count,
  );
  return items.map((item) => String(item[`${name}sk`]));
}

/** All builds of the workspaces of the caller; one call. */
export async function listBuilds(caller: Caller, after: string | undefined, count: number): Promise<Stretch> {
  const items = await queryFirst(
    controlTable,
    {
      KeyConditionExpression: `pk = :pk${after === undefined ? '' : ' AND sk < :after'}`,
      ExpressionAttributeValues: {
        ':pk': buildsPartition(caller.orgid),
        ...(after !== undefined && { ':after': after }),
      },
      ScanIndexForward: false,
    },
    count,
  );
  const builds = items.map(({ sk }) => parseBuildPosting(String(sk)));
  return {
    found: builds.filter(({ workspaceid }) => mayUseWorkspace(caller, workspaceid)),
    next: builds.length < count ? undefined : builds.at(-1)?.position,
  };
}
