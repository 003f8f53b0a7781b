// What a promotion of a row would change: the row compared with the live one, or with another that the caller names.
import type { Caller } from '#lib/access/caller.ts';
import { ownRow } from '../own-row.ts';
import { openFlow } from '../payload/flow-payload.ts';
import { readCard } from '../published-card.ts';
import { readFlow, readRow } from '../store.ts';
import type { StoredRow } from '../stored.ts';
import type { BuildDiff } from './build-diff.ts';
import { type Build, diffBuilds } from './diff.ts';

/** `against` is a registry id or `live`; a flow without a live build is compared with nothing. Opens both flows: two KMS calls. */
export async function whatWouldChange(caller: Caller, id: string, against: string): Promise<BuildDiff> {
  const row = await ownRow(caller, id);
  const other = against === 'live' ? await liveOf(row) : await ownRow(caller, against);
  const [from, to] = await Promise.all([other && buildOf(other), buildOf(row)]);
  return { ...(other && { from: other.a2aregistryid }), to: id, ...diffBuilds(from, to) };
}

async function liveOf(row: StoredRow): Promise<StoredRow | undefined> {
  if (row.status === 'live') return row;
  const flow = await readFlow(row.flowid, row.orgid, row.workspaceid);
  return flow?.live === undefined ? undefined : await readRow(flow.live);
}

const buildOf = async (row: StoredRow): Promise<Build> => ({
  card: readCard(row),
  visibility: row.visibility,
  flow: await openFlow(row),
  egress: row.egress,
  env_variable: row.env_variable ?? {},
  tool_config: row.tool_config === undefined ? {} : JSON.parse(row.tool_config),
});
