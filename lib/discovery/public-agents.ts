// The ids of the live public builds of the tenant, for its catalog, which lists all of them by number of page: so a
// process reads them once a minute, up to as many as a catalog may have, and in between only those that are new.
import { controlTable } from '#lib/dynamo/client.ts';
import { queryFirst } from '#lib/dynamo/query.ts';
import { publicFlowsIndex } from '#lib/registry/row/row-items.ts';

interface Known {
  /** Oldest first. */
  ids: readonly string[];
  readonly untilMs: number;
}

const knownMs = 60_000;
let known: Known | undefined;

/** The newest `max`, oldest first. What it holds may have been demoted since: the caller reads the rows. */
export async function listPublicIds(max: number, nowMs: number): Promise<readonly string[]> {
  if (!known || known.untilMs <= nowMs) {
    known = { ids: await readIds(undefined, max), untilMs: nowMs + knownMs };
    return known.ids;
  }
  const added = await readIds(known.ids.at(-1), max);
  if (added.length > 0) known.ids = [...known.ids, ...added].slice(-max);
  return known.ids;
}

/** One call for each megabyte. */
async function readIds(after: string | undefined, max: number): Promise<string[]> {
  const items = await queryFirst(
    controlTable,
    {
      IndexName: 'gsi3',
      KeyConditionExpression: `gsi3pk = :pk${after === undefined ? '' : ' AND gsi3sk > :after'}`,
      ExpressionAttributeValues: {
        ':pk': publicFlowsIndex,
        ...(after !== undefined && { ':after': after }),
      },
      ProjectionExpression: 'gsi3sk',
      ScanIndexForward: false,
    },
    max,
  );
  return items.map(({ gsi3sk }) => String(gsi3sk)).reverse();
}
