// Which build of a flow is live, changed: the pointer, both rows and both histories in one transaction.
import type { CancellationReason } from '#lib/aws-errors.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import { isFailedConditionReason, readNumber, readString } from '#lib/dynamo/conditions.ts';
import { type TransactionAction, transactWrite } from '#lib/dynamo/transactions.ts';
import { historyPut } from './history/history-items.ts';
import { showLive } from './row/live-flow.ts';
import { flowKey, readRow, rowKey, statusIndex } from './row/row-items.ts';
import type { StoredRow } from './row/stored-row.ts';
import {
  type LiveRevision,
  removeLivePostings,
  reviseLive,
  writeLivePostings,
} from './search-index/live-postings.ts';

export interface LiveBuild {
  readonly id: string;
  readonly version: number;
}

export interface Swap {
  readonly kind: 'promotion' | 'rollback';
  /** Goes live; as it was read. */
  readonly row: StoredRow;
  /** Goes to test; read, or guessed: the conditions decide. */
  readonly live: LiveBuild | undefined;
  /** The row of `live` if the caller has read it; it is read otherwise. */
  readonly liveRow?: StoredRow | undefined;
  readonly by: string;
  readonly at: string;
  readonly requestId?: string | undefined;
}

export type SwapOutcome =
  | { readonly is: 'done' }
  /**
   * Another build is live than the swap assumed, and nothing else is wrong: the failed transaction returned
   * it.
   */
  | { readonly is: 'otherLive'; readonly live: LiveBuild | undefined }
  | { readonly is: 'conflict' };

/**
 * Row to live, pointer from the live build to the row, the live build to test: all or nothing. The postings by which the
 * search finds the flow are written before, unless the live build has the same words, and deleted after.
 */
export async function swapLive(swap: Swap): Promise<SwapOutcome> {
  // The row went live since it was read. Nothing is sent: DynamoDB refuses a transaction with two actions on
  // one item.
  if (swap.live?.id === swap.row.a2aregistryid) return { is: 'conflict' };
  const revision = reviseLive(swap.row, await readFormer(swap));
  await writeLivePostings(revision.added);
  const reasons = await transactWrite(controlTable, [
    promotion(swap, revision),
    pointer(swap),
    ...(swap.live ? demotion(swap, swap.live) : []),
    history(swap),
  ]);
  await removeLivePostings(reasons ? revision.added : revision.dropped);
  return reasons ? readOutcome(reasons, swap.live) : { is: 'done' };
}

/**
 * The live build in the version that the transaction demotes. Undefined where the guess is wrong: then the transaction
 * fails by its condition.
 */
async function readFormer({ live, liveRow }: Swap): Promise<StoredRow | undefined> {
  if (!live) return undefined;
  const row = liveRow ?? (await readRow(live.id));
  return row?.status === 'live' && row.version === live.version ? row : undefined;
}

function promotion({ kind, row, live, at }: Swap, { search_id }: LiveRevision): TransactionAction {
  const remembers = kind === 'promotion' && live !== undefined;
  const forgets = kind === 'promotion' && live === undefined ? ', previous_live' : '';
  return {
    Update: {
      Key: rowKey(row.a2aregistryid),
      UpdateExpression: `SET #status = :live, gsi3pk = :index, version = :next, updated_at = :at, search_id = :search${remembers ? ', previous_live = :former' : ''} REMOVE seen_live, seen_live_version${forgets}`,
      ConditionExpression: 'version = :seen AND #status = :test',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: {
        ':live': 'live',
        ':test': 'test',
        ':index': statusIndex(row.orgid, row.workspaceid, 'live'),
        ':seen': row.version,
        ':next': row.version + 1,
        ':at': at,
        ':search': search_id,
        ...(remembers && { ':former': live.id }),
      },
    },
  };
}

function pointer({ row, live, at }: Swap): TransactionAction {
  const shown = showLive(row);
  return {
    Update: {
      Key: flowKey(row.flowid, row.orgid, row.workspaceid),
      UpdateExpression: `SET live = :id, live_version = :version, updated_at = :at, ${shown.set}${shown.remove}`,
      ConditionExpression: live ? 'live = :seen' : 'attribute_exists(pk) AND attribute_not_exists(live)',
      ExpressionAttributeValues: {
        ':version': row.version + 1,
        ':at': at,
        ...shown.values,
        ...(live && { ':seen': live.id }),
      },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}

/** With the version in the condition, because the history item is named by the next one. */
function demotion({ kind, row, by, at, requestId }: Swap, live: LiveBuild): TransactionAction[] {
  const version = live.version + 1;
  const action = kind === 'promotion' ? 'demoted' : 'rolled_back';
  const successor = row.a2aregistryid;
  return [
    {
      Update: {
        Key: rowKey(live.id),
        UpdateExpression:
          'SET #status = :test, gsi3pk = :index, version = :next, updated_at = :at, seen_live = :successor, seen_live_version = :theirs',
        ConditionExpression: '#status = :live AND version = :seen',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ':live': 'live',
          ':test': 'test',
          ':index': statusIndex(row.orgid, row.workspaceid, 'test'),
          ':seen': live.version,
          ':next': version,
          ':at': at,
          ':successor': successor,
          ':theirs': row.version + 1,
        },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    },
    historyPut(
      { a2aregistryid: live.id, version, updated_at: at },
      { action, by, from: 'live', to: 'test', successor, request_id: requestId },
    ),
  ];
}

const history = ({ kind, row, live, by, at, requestId }: Swap): TransactionAction =>
  historyPut(
    { ...row, version: row.version + 1, updated_at: at },
    {
      action: kind === 'promotion' ? 'promoted' : 'restored',
      by,
      from: 'test',
      to: 'live',
      demoted: live?.id,
      request_id: requestId,
    },
  );

function readOutcome(
  [row, flow, demoted]: readonly CancellationReason[],
  live: LiveBuild | undefined,
): SwapOutcome {
  if (row?.code !== 'None') return { is: 'conflict' };
  if (isFailedConditionReason(flow) && flow?.item) {
    const id = readString(flow.item, 'live');
    const version = readNumber(flow.item, 'live_version') ?? 0;
    return { is: 'otherLive', live: id === undefined ? undefined : { id, version } };
  }
  const version = readNumber(demoted?.item, 'version');
  if (flow?.code !== 'None' || !live || version === undefined || !isFailedConditionReason(demoted))
    return { is: 'conflict' };
  return { is: 'otherLive', live: { id: live.id, version } };
}
