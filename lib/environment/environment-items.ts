// The settings of environments in the control table: one item each, in one partition per workspace. Changes are conditional on the edition read.
import {
  BatchGetCommand,
  type BatchGetCommandInput,
  type BatchGetCommandOutput,
  GetCommand,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { commit, documents, queryAll } from '#lib/dynamo/client.ts';
import { requireEnv } from '#lib/env.ts';
import { flowKey, rowKey } from '#lib/registry/keys.ts';
import { type StoredFlow, storedFlow } from '#lib/registry/stored-row.ts';
import { type Environment, type EnvironmentSettings, environmentSettings } from './environment.ts';

export interface Workspace {
  readonly orgid: string;
  readonly workspaceid: string;
}

const TableName = () => requireEnv('CONTROL_TABLE');
const partition = ({ orgid, workspaceid }: Workspace) => `ENV#${orgid}#${workspaceid}`;
const itemKey = (of: Workspace, name: Environment) => ({ pk: partition(of), sk: name });
/** Other attributes, such as the keys of the table, fall away. */
const stored = environmentSettings.strip();

export async function readEnvironment(
  of: Workspace,
  name: Environment,
): Promise<EnvironmentSettings | undefined> {
  const { Item } = await documents.send(
    new GetCommand({ TableName: TableName(), Key: itemKey(of, name), ConsistentRead: true }),
  );
  return Item && stored.parse(Item);
}

/** A workspace has four at most. */
export async function readEnvironments(of: Workspace): Promise<EnvironmentSettings[]> {
  const items = await queryAll({
    TableName: TableName(),
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': partition(of) },
    ConsistentRead: true,
  });
  return items.map((item) => stored.parse(item));
}

/** A flow with the settings of the live environment of its workspace. One call. */
export async function readFlowAndLive(
  of: Workspace,
  flowid: string,
): Promise<{ flow: StoredFlow | undefined; settings: EnvironmentSettings | undefined }> {
  const keys = [flowKey(flowid, of.orgid, of.workspaceid), itemKey(of, 'live')];
  const items = await batchGet({ Keys: keys, ConsistentRead: true });
  const flow = items.find(({ pk }) => pk === keys[0]?.pk);
  const settings = items.find(({ pk }) => pk === partition(of));
  return { flow: flow && storedFlow.parse(flow), settings: settings && stored.parse(settings) };
}

const placedBuild = z.object({
  a2aregistryid: z.string(),
  flowid: z.string(),
  orgid: z.string(),
  workspaceid: z.string(),
});

/** Where builds belong, by their ids; those that do not exist are left out. At most 100. */
export async function readBuildPlaces(ids: readonly string[]): Promise<z.infer<typeof placedBuild>[]> {
  if (ids.length === 0) return [];
  const items = await batchGet({
    Keys: ids.map(rowKey),
    ConsistentRead: true,
    ProjectionExpression: 'a2aregistryid, flowid, orgid, workspaceid',
  });
  return items.map((item) => placedBuild.parse(item));
}

type Batch = NonNullable<BatchGetCommandInput['RequestItems']>[string];

/** DynamoDB may leave part of a batch undone: that part is asked for again. */
async function batchGet(batch: Batch): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  let pending: BatchGetCommandInput['RequestItems'] = { [TableName()]: batch };
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const answer: BatchGetCommandOutput = await documents.send(
      new BatchGetCommand({ RequestItems: pending }),
    );
    items.push(...(answer.Responses?.[TableName()] ?? []));
    pending = answer.UnprocessedKeys ?? {};
    if (Object.keys(pending).length === 0) return items;
  }
  throw Object.assign(new Error('DynamoDB left part of a batch undone.'), { name: 'ThrottlingException' });
}

const attemptsMax = 8;

/** False when the settings are not those that were read. */
export async function putEnvironment(
  settings: EnvironmentSettings,
  seen: EnvironmentSettings | undefined,
): Promise<boolean> {
  const put = {
    Put: {
      TableName: TableName(),
      Item: { ...itemKey(settings, settings.environment), ...settings },
      ...unchanged(seen),
    },
  };
  return !(await commit([put]));
}

/** False when the settings are not those that were read. */
export async function deleteEnvironment(settings: EnvironmentSettings): Promise<boolean> {
  const removal = {
    Delete: {
      TableName: TableName(),
      Key: itemKey(settings, settings.environment),
      ...unchanged(settings),
    },
  };
  return !(await commit([removal]));
}

/** By its creation, too: settings that were forgotten and set anew have the same version, and are others. */
const unchanged = (seen: EnvironmentSettings | undefined) =>
  seen === undefined
    ? { ConditionExpression: 'attribute_not_exists(pk)' }
    : {
        ConditionExpression: 'version = :seen AND created_at = :created',
        ExpressionAttributeValues: { ':seen': seen.version, ':created': seen.created_at },
      };
