// The naive algorithms that a registry must not use. Each is our rules with one of them replaced, and the
// chaos suite must catch it.
import { type DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { requireEnv } from '#lib/env.ts';
import { ServiceError } from '#lib/errors.ts';
import { cardWithoutUrl } from '#lib/registry/card/published-card.ts';
import { deleteFlow, openFlow } from '#lib/registry/flow-payload.ts';
import { removePostings, revise } from '#lib/registry/listing/postings.ts';
import { ownRow } from '#lib/registry/row/own-row.ts';
import { flowKey, queryRows, readFlow, rowKey } from '#lib/registry/row/row-items.ts';
import type { StoredRow } from '#lib/registry/row/stored-row.ts';
import { type Operation, ours, type Rules } from './operations.ts';

interface Mutant {
  readonly what: string;
  readonly rules: Rules;
  /** What the histories have besides promotions. */
  readonly kind: Operation['kind'];
  /** What the suite finds. */
  readonly finds: RegExp;
}

const broken = /^(Two live rows|The pointer names|A deleted row came back)/;

export const mutants = (database: DynamoDBDocumentClient): Mutant[] => [
  {
    what: 'a promotion that looks which row is live and then swaps without conditions',
    rules: { ...ours, promote: swapBlindly(database) },
    kind: 'promote',
    finds: broken,
  },
  {
    what: 'a promotion that finds the live row in the index',
    rules: { ...ours, promote: trustIndex(database) },
    kind: 'promote',
    finds: broken,
  },
  {
    what: 'a promotion that demotes in a second step',
    rules: { ...ours, promote: demoteLater(database) },
    kind: 'promote',
    finds: broken,
  },
  {
    what: 'a deletion that does not look at the pointer in its transaction',
    rules: { ...ours, remove: removeBlindly(database) },
    kind: 'delete',
    finds: broken,
  },
  {
    what: 'an update that writes back what it read',
    rules: { ...ours, update: writeBack(database) },
    kind: 'update',
    finds: broken,
  },
  {
    what: 'an update that removes what finds the row no more before it is committed',
    rules: { ...ours, update: removeEarly },
    kind: 'update',
    finds: /^Lost: \d+ of the postings/,
  },
  {
    what: 'a promotion that takes a lost race for success',
    rules: { ...ours, promote: claimSuccess },
    kind: 'delete',
    finds: /^Lost: /,
  },
];

type Action = NonNullable<ConstructorParameters<typeof TransactWriteCommand>[0]['TransactItems']>[number];

/** Only of what exists, so that each is naive in the one way it is named for. */
function set(Key: object, name: string, value: string, onlyIf?: string): Action {
  return {
    Update: {
      TableName: requireEnv('CONTROL_TABLE'),
      Key: { ...Key },
      UpdateExpression: 'SET #name = :value',
      ConditionExpression: `attribute_exists(pk)${onlyIf === undefined ? '' : ' AND #name = :onlyIf'}`,
      ExpressionAttributeNames: { '#name': name },
      ExpressionAttributeValues: { ':value': value, ...(onlyIf !== undefined && { ':onlyIf': onlyIf }) },
    },
  };
}

const flowKeyFor = (row: StoredRow) => flowKey(row.flowid, row.orgid, row.workspaceid);

async function send(database: DynamoDBDocumentClient, TransactItems: Action[]): Promise<void> {
  try {
    await database.send(new TransactWriteCommand({ TransactItems }));
  } catch (cause) {
    throw new ServiceError('promotion_conflict', { cause });
  }
}

const swapBlindly =
  (database: DynamoDBDocumentClient): Rules['promote'] =>
  async (caller, id) => {
    const row = await ownRow(caller, id);
    const flow = await readFlow(row.flowid, row.orgid, row.workspaceid);
    const demotion =
      flow?.live === undefined || flow.live === id ? [] : [set(rowKey(flow.live), 'status', 'test')];
    const promotion = set(rowKey(id), 'status', 'live');
    await send(database, [promotion, set(flowKeyFor(row), 'live', id), ...demotion]);
    return { row };
  };

const trustIndex =
  (database: DynamoDBDocumentClient): Rules['promote'] =>
  async (caller, id) => {
    const row = await ownRow(caller, id);
    const { orgid, workspaceid, flowid } = row;
    const [live] = await queryRows({ orgid, workspaceid, flowid, status: 'live', limit: 1 });
    if (live?.a2aregistryid === id) return { row };
    await send(database, [
      set(rowKey(id), 'status', 'live', 'test'),
      set(flowKeyFor(row), 'live', id),
      ...(live ? [set(rowKey(live.a2aregistryid), 'status', 'test', 'live')] : []),
    ]);
    return { row };
  };

const demoteLater =
  (database: DynamoDBDocumentClient): Rules['promote'] =>
  async (caller, id) => {
    const row = await ownRow(caller, id);
    const live = (await readFlow(row.flowid, row.orgid, row.workspaceid))?.live;
    if (live === id) return { row };
    await send(database, [set(rowKey(id), 'status', 'live', 'test'), set(flowKeyFor(row), 'live', id, live)]);
    if (live !== undefined) await send(database, [set(rowKey(live), 'status', 'test')]);
    return { row };
  };

const removeBlindly =
  (database: DynamoDBDocumentClient): Rules['remove'] =>
  async (caller, id) => {
    const row = await ownRow(caller, id);
    const TableName = requireEnv('CONTROL_TABLE');
    await deleteFlow(row);
    const clearing = { TableName, Key: flowKeyFor(row), UpdateExpression: 'REMOVE live, live_version' };
    await send(database, [
      { Delete: { TableName, Key: rowKey(id) } },
      ...(row.status === 'live' ? [{ Update: clearing }] : []),
    ]);
    return row;
  };

const writeBack =
  (database: DynamoDBDocumentClient): Rules['update'] =>
  async (caller, id) => {
    const { status, ...row } = await ownRow(caller, id);
    await openFlow({ ...row, status });
    await send(database, [set(rowKey(id), 'status', status)]);
    return { ...row, status };
  };

const removeEarly: Rules['update'] = async (caller, id, replacement) => {
  const before = await ownRow(caller, id);
  const { agent_card, visibility = 'organization' } = replacement.body;
  const searched = {
    card: JSON.stringify(cardWithoutUrl(agent_card, undefined)),
    tags: agent_card.tags ?? [],
  };
  const { dropped } = revise(before.postings ?? {}, { ...before, ...searched, visibility });
  await removePostings(before, dropped);
  return await ours.update(caller, id, replacement);
};

const claimSuccess: Rules['promote'] = async (caller, id, wish) => {
  const row = await ownRow(caller, id);
  try {
    return await ours.promote(caller, id, wish);
  } catch {
    return { row: { ...row, status: 'live', version: row.version + 1 } };
  }
};
