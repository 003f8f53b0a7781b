// One read of the runs of a workspace or of a flow, newest first, from an index that lags behind writes by
// moments.
import * as z from 'zod';
import { runsTable } from '#lib/dynamo/client.ts';
import type { Item } from '#lib/dynamo/items.ts';
import { queryFirst } from '#lib/dynamo/query.ts';
import { built } from '#lib/json/built-schema.ts';
import type { HeldRun } from './held-runs.ts';
import { flowRuns, workspaceRuns } from './run-items.ts';
import { type RunCaller, readCaller, toPosition, toRunCaller } from './run-position.ts';
import { storedRun } from './stored-run.ts';

const attributes = /* @__PURE__ */ z.lazy(() =>
  built(storedRun).pick({
    status: true,
    trigger: true,
    trigger_id: true,
    environment: true,
    flowid: true,
    a2aregistryid: true,
    build_no: true,
    deadline: true,
    created_at: true,
    ended_at: true,
  }),
);
const indexedRun = /* @__PURE__ */ z.lazy(() => built(attributes).extend({ pk: z.string() }));

/** With its position in every list. The header has the lease of a run that a request executes, which no index has. */
export type ListedRun = z.output<typeof attributes> &
  RunCaller &
  Partial<Pick<HeldRun, 'mode' | 'lease_until'>> & { readonly run_id: string; readonly position: string };

export interface RunListScope {
  readonly orgid: string;
  readonly workspaceid: string;
  readonly flowid: string | undefined;
}

export interface RunsRange {
  readonly scope: RunListScope;
  /** Positions, both included. */
  readonly from: string;
  readonly to: string;
  readonly limit: number;
}

/** A run of the scope, from its header. */
export const toListedRun = (run: HeldRun): ListedRun => ({
  ...run,
  ...toRunCaller(run),
  position: toPosition(run),
});

/** Fewer than `limit` only where the range ends. */
export async function queryRuns({ scope, from, to, limit }: RunsRange): Promise<ListedRun[]> {
  // DynamoDB refuses an empty range.
  if (from > to) return [];
  const { flowid, ...workspace } = scope;
  const index = flowid === undefined ? 'gsi1' : 'gsi2';
  const items = await queryFirst(
    runsTable,
    {
      IndexName: index,
      KeyConditionExpression: '#pk = :pk AND #sk BETWEEN :from AND :to',
      ExpressionAttributeNames: { '#pk': `${index}pk`, '#sk': `${index}sk` },
      ExpressionAttributeValues: {
        ':pk': flowid === undefined ? workspaceRuns(workspace) : flowRuns({ ...workspace, flowid }),
        ':from': from,
        ':to': to,
      },
      ScanIndexForward: false,
    },
    limit,
  );
  return items.map((item) => readListed(item, `${index}sk`));
}

function readListed(item: Item, sortKey: string): ListedRun {
  const { pk, ...run } = indexedRun.parse(item);
  const run_id = pk.slice('RUN#'.length);
  const position = toPosition({ ...run, run_id });
  return { ...run, ...readCaller(String(item[sortKey]), position), run_id, position };
}
