// A build of an archive in its new tenant: its flow encrypted and its card published there, found by lists and by discovery.
import { controlTable } from '#lib/dynamo/client.ts';
import { mustNotExist } from '#lib/dynamo/conditions.ts';
import { getItem, putItem, putItemIf } from '#lib/dynamo/items.ts';
import { atCurrentAddress } from '#lib/registry/card/published-card.ts';
import { storeFlow } from '#lib/registry/flow-payload.ts';
import { revise, writePostings } from '#lib/registry/listing/postings.ts';
import { ownerKey, rowItem } from '#lib/registry/row/row-items.ts';
import type { StoredRow } from '#lib/registry/row/stored-row.ts';
import { reviseLive, writeLivePostings } from '#lib/registry/search-index/live-postings.ts';

/** `flow` is JSON. The row is written last, so that none is there whose flow is missing. */
export async function importRow(row: StoredRow, flow: string, ownedUrls: ReadonlySet<string>): Promise<void> {
  const payload_chunks = await storeFlow(row, JSON.parse(flow));
  const owns_live_url = await claimUrl(row, ownedUrls);
  const placed = { ...row, payload_chunks, owns_live_url };
  // Signatures are of the key of another tenant.
  const moved: StoredRow = { ...placed, ...atCurrentAddress() };
  // Those of an import that was interrupted stay, as leftovers that lists skip.
  const { postings } = revise({}, moved);
  await writePostings(moved, postings);
  const live = moved.status === 'live' ? reviseLive(moved, undefined) : undefined;
  if (live) await writeLivePostings(live.added);
  await putItem(controlTable, rowItem({ ...moved, postings, search_id: live?.search_id }));
}

/** The short URL of a flow is of the workspace that had it, unless another organisation of the tenant has it already. */
async function claimUrl(
  { flowid, orgid, workspaceid }: StoredRow,
  ownedUrls: ReadonlySet<string>,
): Promise<boolean> {
  const isOwned = ownedUrls.has(`${flowid} ${workspaceid}`);
  const isOfAnother = [...ownedUrls].some((each) => each.startsWith(`${flowid} `));
  const key = ownerKey(flowid);
  if (isOwned || !isOfAnother) await putItemIf(controlTable, { ...key, orgid, workspaceid }, mustNotExist);
  const owner = await getItem(controlTable, key);
  return owner?.orgid === orgid && owner.workspaceid === workspaceid;
}
