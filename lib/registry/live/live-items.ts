// Which build of a flow is live, changed: the pointer, both rows and both histories in one transaction.
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { conflictReasons, failedCondition, numberOf, stringOf } from '#lib/aws-errors.ts';
import { documents } from '#lib/dynamo/client.ts';
import { requireEnv } from '#lib/env.ts';
import { historyPut } from '../history/history-item.ts';
import { flowKey, rowKey, statusIndex } from '../keys.ts';
import { indexedAsLive } from '../search-index/index-changes.ts';
import type { StoredRow } from '../stored-row.ts';

const TableName = () => requireEnv('CONTROL_TABLE');
type Action = NonNullable<TransactWriteCommandInput['TransactItems']>[number];
type Reasons = NonNullable<ReturnType<typeof conflictReasons>>;

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
  readonly by: string;
  readonly at: string;
  readonly requestId?: string | undefined;
}

export type SwapOutcome =
  | { readonly is: 'done' }
  /** The only thing wrong was what it took for live: the failed transaction saw this. */
  | { readonly is: 'otherLive'; readonly live: LiveBuild | undefined }
  | { readonly is: 'inTheWay' };

/** Row to live, pointer from the live build to the row, the live build to test: all or nothing. */
export async function swapLive(swap: Swap): Promise<SwapOutcome> {
  // The row went live since it was read. Not sent, as DynamoDB refuses a transaction with two actions on one item.
  if (swap.live?.id === swap.row.a2aregistryid) return { is: 'inTheWay' };
  const TransactItems = [promotion(swap), pointer(swap), ...(swap.live ? demotion(swap, swap.live) : [])];
  try {
    await documents.send(
      new TransactWriteCommand({
        TransactItems: [...TransactItems, history(swap), ...searchDocuments(swap)],
      }),
    );
    return { is: 'done' };
  } catch (error) {
    const reasons = conflictReasons(error);
    if (!reasons) throw error;
    return whatItSaw(reasons, swap.live);
  }
}

/** The live place of the flow shows what goes live, over what was there. */
const searchDocuments = ({ row, at }: Swap): Action[] =>
  indexedAsLive({ ...row, status: 'live', updated_at: at });

function promotion({ kind, row, live, at }: Swap): Action {
  const remembers = kind === 'promotion' && live !== undefined;
  const forgets = kind === 'promotion' && live === undefined ? ', previous_live' : '';
  return {
    Update: {
      TableName: TableName(),
      Key: rowKey(row.a2aregistryid),
      UpdateExpression: `SET #status = :live, gsi3pk = :index, version = :next, updated_at = :at${remembers ? ', previous_live = :former' : ''} REMOVE seen_live, seen_live_version${forgets}`,
      ConditionExpression: 'version = :seen AND #status = :test',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: {
        ':live': 'live',
        ':test': 'test',
        ':index': statusIndex(row.orgid, row.workspaceid, 'live'),
        ':seen': row.version,
        ':next': row.version + 1,
        ':at': at,
        ...(remembers && { ':former': live.id }),
      },
    },
  };
}

const pointer = ({ row, live, at }: Swap): Action => ({
  Update: {
    TableName: TableName(),
    Key: flowKey(row.flowid, row.orgid, row.workspaceid),
    UpdateExpression: 'SET live = :id, live_version = :version, updated_at = :at',
    ConditionExpression: live ? 'live = :seen' : 'attribute_exists(pk) AND attribute_not_exists(live)',
    ExpressionAttributeValues: {
      ':id': row.a2aregistryid,
      ':version': row.version + 1,
      ':at': at,
      ...(live && { ':seen': live.id }),
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  },
});

/** With the version in the condition, because the history item is named by the next one. */
function demotion({ kind, row, by, at, requestId }: Swap, live: LiveBuild): Action[] {
  const version = live.version + 1;
  const action = kind === 'promotion' ? 'demoted' : 'rolled_back';
  const successor = row.a2aregistryid;
  return [
    {
      Update: {
        TableName: TableName(),
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
      TableName(),
      { a2aregistryid: live.id, version, updated_at: at },
      { action, by, from: 'live', to: 'test', successor, request_id: requestId },
    ),
  ];
}

const history = ({ kind, row, live, by, at, requestId }: Swap): Action =>
  historyPut(
    TableName(),
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

function whatItSaw([row, flow, demoted]: Reasons, live: LiveBuild | undefined): SwapOutcome {
  if (row?.code !== 'None') return { is: 'inTheWay' };
  if (failedCondition(flow) && flow?.item) {
    const id = stringOf(flow.item, 'live');
    const version = numberOf(flow.item, 'live_version') ?? 0;
    return { is: 'otherLive', live: id === undefined ? undefined : { id, version } };
  }
  const version = numberOf(demoted?.item, 'version');
  if (flow?.code !== 'None' || !live || version === undefined || !failedCondition(demoted))
    return { is: 'inTheWay' };
  return { is: 'otherLive', live: { id: live.id, version } };
}
