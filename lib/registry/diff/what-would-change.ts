// What a promotion of a row would change: the row compared with the live one, or with another that the caller
// names.
import type { Caller } from '#lib/access/caller.ts';
import { inWorkspace } from '#lib/errors.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { readCard } from '../card/published-card.ts';
import { openFlow } from '../flow-payload.ts';
import { ownRow } from '../row/own-row.ts';
import { readFlow, readRow } from '../row/row-items.ts';
import type { StoredRow } from '../row/stored-row.ts';
import type { BuildDiff } from './build-diff.ts';
import { type Build, diffBuilds } from './diff.ts';

/** Lists what a flow may call. It is passed in, because this folder does not parse flows. */
type DescribeReach = (flow: JsonObject) => readonly string[];

/**
 * `against` is a registry id or `live`; a flow without a live build is compared with nothing. Opens both
 * flows: two KMS calls.
 */
export async function whatWouldChange(
  caller: Caller,
  id: string,
  against: string,
  describeReach: DescribeReach,
): Promise<{ readonly diff: BuildDiff; readonly workspaceid: string }> {
  const row = await ownRow(caller, id);
  const other = await inWorkspace(row, against === 'live' ? readLiveBuild(row) : ownRow(caller, against));
  const { workspaceid } = other ?? row;
  const builds = [other && loadBuild(other, describeReach), loadBuild(row, describeReach)] as const;
  const [from, to] = await inWorkspace({ workspaceid }, Promise.all(builds));
  const diff = { ...(other && { from: other.a2aregistryid }), to: id, ...diffBuilds(from, to) };
  return { diff, workspaceid };
}

async function readLiveBuild(row: StoredRow): Promise<StoredRow | undefined> {
  if (row.status === 'live') return row;
  const flow = await readFlow(row.flowid, row.orgid, row.workspaceid);
  return flow?.live === undefined ? undefined : await readRow(flow.live);
}

async function loadBuild(row: StoredRow, describeReach: DescribeReach): Promise<Build> {
  const flow = await openFlow(row);
  return {
    card: readCard(row),
    visibility: row.visibility,
    flow,
    egress: row.egress,
    reaches: describeReach(flow),
    env_variable: row.env_variable ?? {},
    tool_config: row.tool_config === undefined ? {} : JSON.parse(row.tool_config),
  };
}
