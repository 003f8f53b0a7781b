// Live agents written straight into the control table, as a promotion leaves them, for tests that need thousands.
import { newRegistryId } from '#lib/ids.ts';
import { cardWithoutUrl } from '#lib/registry/card/published-card.ts';
import { flowKey, liveFlowsIndex, publicFlowsIndex, rowItem } from '#lib/registry/row/row-items.ts';
import type { StoredRow } from '#lib/registry/row/stored-row.ts';
import { livePostingKeys } from '#lib/registry/search-index/live-postings.ts';
import { card } from './builders.ts';
import { type Item, putItems } from './put-items.ts';
import { storedRow } from './stored-rows.ts';

type Named = Partial<StoredRow> & Pick<StoredRow, 'orgid' | 'flowid'> & { readonly name: string };

/** A row whose card has few words but those of its name. */
export const liveRow = ({ name, ...some }: Named): StoredRow => ({
  ...storedRow({ workspaceid: 'ws', ...some }),
  card: JSON.stringify(
    cardWithoutUrl(
      card({ name, description: 'x', skills: [{ id: 'x', name: 'x', description: 'x' }] }),
      undefined,
    ),
  ),
  status: 'live',
  postings: {},
  // Sorts by time, as the ids of writes do.
  search_id: newRegistryId(),
});

/** Several writes at once: the engine has one core, this process the other. */
export const putLive = async (rows: readonly StoredRow[]): Promise<void> =>
  await putItems(rows.flatMap(toItems));

function toItems(row: StoredRow): Item[] {
  const { a2aregistryid: id, orgid, workspaceid, flowid, updated_at } = row;
  const isPublic = row.visibility === 'public';
  const flow = {
    ...flowKey(flowid, orgid, workspaceid),
    ...{
      orgid,
      workspaceid,
      flowid,
      updated_at,
      live: id,
      live_version: 1,
      last_build_no: 1,
      build_count: 1,
    },
    ...{ gsi2pk: liveFlowsIndex(orgid), gsi2sk: id },
    ...(isPublic && { gsi3pk: publicFlowsIndex, gsi3sk: id }),
  };
  return [rowItem(row), flow, ...livePostingKeys(row).map((key) => ({ ...key }))];
}
