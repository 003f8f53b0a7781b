// The settings of environments in the control table: one item each, in one partition per workspace. Changes
// are conditional on the version that was read. Also finds the build that an environment runs, with the
// variables that its flow sees, and does not check who may call it.
import * as z from 'zod';
import { batchGet } from '#lib/dynamo/batch.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import { mustNotExist } from '#lib/dynamo/conditions.ts';
import { ifUnchanged } from '#lib/dynamo/etag.ts';
import { getItem } from '#lib/dynamo/items.ts';
import { queryAll } from '#lib/dynamo/query.ts';
import { transactWrite } from '#lib/dynamo/transactions.ts';
import type { WorkspaceScope } from '#lib/ids.ts';
import { flowKey, queryRows, readRow, rowKey } from '#lib/registry/row/row-items.ts';
import { type StoredRow, storedFlow } from '#lib/registry/row/stored-row.ts';
import { type Environment, type EnvironmentSettings, environmentSettings } from './environment.ts';

const partition = ({ orgid, workspaceid }: WorkspaceScope) => `ENV#${orgid}#${workspaceid}`;
const itemKey = (scope: WorkspaceScope, name: Environment) => ({ pk: partition(scope), sk: name });
/** Drops other attributes, such as the keys of the table. */
const stored = environmentSettings.strip();

export async function readEnvironment(
  scope: WorkspaceScope,
  name: Environment,
): Promise<EnvironmentSettings | undefined> {
  const item = await getItem(controlTable, itemKey(scope, name));
  return item && stored.parse(item);
}

/** At most four. */
export async function readEnvironments(scope: WorkspaceScope): Promise<EnvironmentSettings[]> {
  const items = await queryAll(controlTable, {
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': partition(scope) },
    ConsistentRead: true,
  });
  return items.map((item) => stored.parse(item));
}

export interface FlowScope extends WorkspaceScope {
  readonly flowid: string;
}

interface NamedBuild {
  readonly settings: EnvironmentSettings | undefined;
  /** The id of the build that is live or, in another environment, pinned. */
  readonly named: string | undefined;
}

/** The settings of an environment, and the build of the flow that it names. One call. */
async function readNamedBuild(scope: FlowScope, environment: Environment): Promise<NamedBuild> {
  if (environment === 'live') return await readLive(scope);
  const settings = await readEnvironment(scope, environment);
  const isPinned = settings !== undefined && Object.hasOwn(settings.pins, scope.flowid);
  return { settings, named: isPinned ? settings.pins[scope.flowid] : undefined };
}

async function readLive(scope: FlowScope): Promise<NamedBuild> {
  const keys = [flowKey(scope.flowid, scope.orgid, scope.workspaceid), itemKey(scope, 'live')];
  const items = await batchGet(controlTable, keys, { ConsistentRead: true });
  const flow = items.find(({ pk }) => pk === keys[0]?.pk);
  const settings = items.find(({ pk }) => pk === partition(scope));
  return {
    settings: settings && stored.parse(settings),
    named: flow && storedFlow.parse(flow).live,
  };
}

export type Variables = Readonly<Record<string, string>>;

/** `none`: there is no build to run. `gone`: the environment pins a build that was deleted. */
export type FoundBuild =
  | { readonly is: 'build'; readonly row: StoredRow; readonly env: Variables }
  | { readonly is: 'none' }
  | { readonly is: 'gone'; readonly pinned: string };

/** Two AWS calls. */
export async function findBuild(scope: FlowScope, environment: Environment): Promise<FoundBuild> {
  const { settings, named } = await readNamedBuild(scope, environment);
  const isLive = environment === 'live';
  const row = named === undefined ? undefined : await readRow(named);
  if (named !== undefined && !row && !isLive) return { is: 'gone', pinned: named };
  const build = row ?? (isLive ? undefined : await findNewestTest(scope));
  return build ? { is: 'build', row: build, env: mergeVariables(build, settings) } : { is: 'none' };
}

async function findNewestTest({ orgid, workspaceid, flowid }: FlowScope): Promise<StoredRow | undefined> {
  const [newest] = await queryRows({ orgid, workspaceid, flowid, status: 'test', limit: 1 });
  return newest;
}

/** For a run whose build is known. One AWS call. */
export async function readVariables(row: StoredRow, environment: Environment): Promise<Variables> {
  return mergeVariables(row, await readEnvironment(row, environment));
}

/** Variables of the environment override those of the build. */
const mergeVariables = (row: StoredRow, settings: EnvironmentSettings | undefined): Variables => ({
  ...row.env_variable,
  ...settings?.env,
});

const buildOwner = z.object({
  a2aregistryid: z.string(),
  flowid: z.string(),
  orgid: z.string(),
  workspaceid: z.string(),
});

/** The flow and workspace of builds, for at most 100 ids; builds that do not exist are left out. */
export async function readBuildOwners(ids: readonly string[]): Promise<z.infer<typeof buildOwner>[]> {
  if (ids.length === 0) return [];
  const items = await batchGet(controlTable, ids.map(rowKey), {
    ConsistentRead: true,
    ProjectionExpression: 'a2aregistryid, flowid, orgid, workspaceid',
  });
  return items.map((item) => buildOwner.parse(item));
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
