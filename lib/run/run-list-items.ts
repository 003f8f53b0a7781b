// One read of the runs of a workspace or of a flow, newest first, from an index that lags behind writes by
// moments.
import * as z from 'zod';
import { runsTable } from '#lib/dynamo/client.ts';
import { queryFirst } from '#lib/dynamo/query.ts';
import { flowRuns, workspaceRuns } from './run-items.ts';
import { storedRun } from './stored-run.ts';

const attributes = storedRun.pick({
  run_id: true,
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
});
/** With its position in every list. */
const listedRun = attributes.transform((run) => ({ ...run, position: `${run.created_at}#${run.run_id}` }));
export type ListedRun = z.output<typeof listedRun>;

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
  return z.array(listedRun).parse(items);
}
