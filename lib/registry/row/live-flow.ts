// The item of a flow in the indexes of live agents: it moves there with the pointer to the live build.
import type { TransactionAction } from '#lib/dynamo/transactions.ts';
import { flowKey, liveFlowsIndex, publicFlowsIndex } from './row-items.ts';
import type { StoredRow } from './stored-row.ts';

/** Parts of an update; the value `:id` is the live build. */
interface LiveUpdate {
  readonly set: string;
  /** Empty, or a clause that begins with a space. */
  readonly remove: string;
  readonly values: Readonly<Record<string, string>>;
}

export function showLive({
  a2aregistryid,
  orgid,
  visibility,
}: Pick<StoredRow, 'a2aregistryid' | 'orgid' | 'visibility'>): LiveUpdate {
  const own = { ':id': a2aregistryid, ':live': liveFlowsIndex(orgid) };
  const set = 'gsi2pk = :live, gsi2sk = :id';
  if (visibility !== 'public') return { set, remove: ' REMOVE gsi3pk, gsi3sk', values: own };
  return {
    set: `${set}, gsi3pk = :public, gsi3sk = :id`,
    remove: '',
    values: { ...own, ':public': publicFlowsIndex },
  };
}

/** The attributes that end with the live build. */
export const liveAttributes = 'live, live_version, gsi2pk, gsi2sk, gsi3pk, gsi3sk';

/** For a live row that becomes public or ceases to be, or that an earlier version has promoted. */
export function showInIndexes(row: StoredRow): TransactionAction {
  const { set, remove, values } = showLive(row);
  return {
    Update: {
      Key: flowKey(row.flowid, row.orgid, row.workspaceid),
      UpdateExpression: `SET ${set}${remove}`,
      ConditionExpression: 'live = :id',
      ExpressionAttributeValues: values,
    },
  };
}
