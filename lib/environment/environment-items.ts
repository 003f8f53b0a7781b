// The settings of environments in the control table: one item each, in one partition per workspace. Changes
// are conditional on the version that was read.
import * as z from 'zod';
import { batchGet } from '#lib/dynamo/batch.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import { mustNotExist } from '#lib/dynamo/conditions.ts';
import { ifUnchanged } from '#lib/dynamo/etag.ts';
import { getItem } from '#lib/dynamo/items.ts';
import { queryAll } from '#lib/dynamo/query.ts';
import { transactWrite } from '#lib/dynamo/transactions.ts';
import { flowKey, rowKey } from '#lib/registry/keys.ts';
import { type StoredFlow, storedFlow } from '#lib/registry/stored-row.ts';
import { type Environment, type EnvironmentSettings, environmentSettings } from './environment.ts';

export interface Workspace {
  readonly orgid: string;
  readonly workspaceid: string;
}

const partition = ({ orgid, workspaceid }: Workspace) => `ENV#${orgid}#${workspaceid}`;
const itemKey = (of: Workspace, name: Environment) => ({ pk: partition(of), sk: name });
/** Other attributes, such as the keys of the table, fall away. */
const stored = environmentSettings.strip();

export async function readEnvironment(
  of: Workspace,
  name: Environment,
): Promise<EnvironmentSettings | undefined> {
  const item = await getItem(controlTable, itemKey(of, name));
  return item && stored.parse(item);
}

/** A workspace has four at most. */
export async function readEnvironments(of: Workspace): Promise<EnvironmentSettings[]> {
  const items = await queryAll(controlTable, {
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
  const items = await batchGet(controlTable, keys, { ConsistentRead: true });
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
  const items = await batchGet(controlTable, ids.map(rowKey), {
    ConsistentRead: true,
    ProjectionExpression: 'a2aregistryid, flowid, orgid, workspaceid',
  });
  return items.map((item) => placedBuild.parse(item));
}

/** False when the settings are not those that were read. */
export async function putEnvironment(
  settings: EnvironmentSettings,
  seen: EnvironmentSettings | undefined,
): Promise<boolean> {
  const Put = {
    Item: { ...itemKey(settings, settings.environment), ...settings },
    ...(seen === undefined ? mustNotExist : ifUnchanged(seen)),
  };
  return !(await transactWrite(controlTable, [{ Put }]));
}

/** False when the settings are not those that were read. */
export async function deleteEnvironment(settings: EnvironmentSettings): Promise<boolean> {
  const Delete = { Key: itemKey(settings, settings.environment), ...ifUnchanged(settings) };
  return !(await transactWrite(controlTable, [{ Delete }]));
}
