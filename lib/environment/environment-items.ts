// The settings of environments in the control table: one item each, in one partition per workspace. Changes
// are conditional on the version that was read. Also finds the build that an environment runs, with the
// variables that its flow sees, and does not check who may call it.
import * as z from 'zod';
import { boundedMap } from '#lib/bounded-map.ts';
import { batchGet } from '#lib/dynamo/batch.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import { mustNotExist } from '#lib/dynamo/conditions.ts';
import { ifUnchanged } from '#lib/dynamo/etag.ts';
import { getItem, type Item, type Key } from '#lib/dynamo/items.ts';
import { queryAll } from '#lib/dynamo/query.ts';
import { transactWrite } from '#lib/dynamo/transactions.ts';
import type { WorkspaceScope } from '#lib/ids.ts';
import { flowKey, queryRows, readRow, rowKey } from '#lib/registry/row/row-items.ts';
import { type StoredRow, storedFlow, storedRow } from '#lib/registry/row/stored-row.ts';
import { budgetsKey } from '#lib/usage/budget-items.ts';
import { noteBudgets } from '#lib/usage/check-budget.ts';
import {
  type Environment,
  environmentName,
  type KeepValues,
  keepValues,
  keepValuesDefault,
} from './environment.ts';
import type { EnvironmentSettings } from './settings.ts';
import type { TelemetrySink } from './telemetry-sink.ts';

const partition = ({ orgid, workspaceid }: WorkspaceScope) => `ENV#${orgid}#${workspaceid}`;
export const itemKey = (scope: WorkspaceScope, name: Environment) => ({ pk: partition(scope), sk: name });
const texts = /* @__PURE__ */ z.lazy(() => z.record(z.string(), z.string()));
/** What was checked when it was set is not checked again. Drops other attributes, such as the keys of the table. */
const stored: z.ZodType<EnvironmentSettings> = /* @__PURE__ */ z.lazy(() =>
  z.object({
    environment: environmentName,
    workspaceid: z.string(),
    orgid: z.string(),
    pins: texts,
    env: texts,
    keep_values: keepValues.optional(),
    telemetry: z.custom<TelemetrySink>().optional(),
    version: z.number(),
    created_at: z.string(),
    updated_at: z.string(),
    updated_by: z.string(),
  }),
);
/** The settings among items that were read. */
export function pickSettings(items: readonly Item[], scope: WorkspaceScope): EnvironmentSettings | undefined {
  const item = items.find(({ pk }) => pk === partition(scope));
  return item && stored.parse(item);
}

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
  readonly named: string | undefined;
}

/** The settings of an environment other than live, and the build of the flow that it pins. One call. */
async function readNamedBuild(scope: FlowScope, environment: Environment): Promise<NamedBuild> {
  const settings = pickSettings(await readWithBudgets(scope.orgid, [itemKey(scope, environment)]), scope);
  const isPinned = settings !== undefined && Object.hasOwn(settings.pins, scope.flowid);
  return { settings, named: isPinned ? settings.pins[scope.flowid] : undefined };
}

interface LiveBuild {
  readonly row: StoredRow | undefined;
  readonly settings: EnvironmentSettings | undefined;
  /** All items that were read together, with those that were asked for. */
  readonly items: readonly Item[];
}

/** Which build of a flow was live when this process last looked, by the key of the flow's item. */
const lastLive = boundedMap<string, string>({ entriesMax: 1_000 });

/**
 * The live build of a flow with the settings of its environment, as they are now. One call if the same build is
 * live as the last time: it is read together with the item that says which one is.
 */
export async function readLive(scope: FlowScope, others: readonly Key[] = []): Promise<LiveBuild> {
  const key = flowKey(scope.flowid, scope.orgid, scope.workspaceid);
  const name = `${key.pk} ${key.sk}`;
  const guess = lastLive.get(name);
  const keys = [key, itemKey(scope, 'live'), ...(guess === undefined ? [] : [rowKey(guess)]), ...others];
  const items = await readWithBudgets(scope.orgid, keys);
  const flow = findItem(items, key);
  const live = flow && storedFlow.parse(flow).live;
  const settings = pickSettings(items, scope);
  if (live === undefined) return { row: undefined, settings, items };
  lastLive.set(name, live);
  const row = live === guess ? findItem(items, rowKey(live)) : undefined;
  return { row: row ? storedRow.parse(row) : await readRow(live), settings, items };
}

/** Items of the control table and, in the same call, the budgets of an organisation, which are noted. */
export async function readWithBudgets(orgid: string, keys: readonly Key[]): Promise<Item[]> {
  const budgets = budgetsKey(orgid);
  const items = await batchGet(controlTable, [...keys, budgets], { ConsistentRead: true });
  noteBudgets(orgid, findItem(items, budgets));
  return items;
}

export const findItem = (items: readonly Item[], { pk, sk }: Key): Item | undefined =>
  items.find((item) => item.pk === pk && item.sk === sk);

export type Variables = Readonly<Record<string, string>>;

/** What an environment says about a run in it. */
export interface RunSettings {
  readonly env: Variables;
  readonly keepValues: KeepValues;
  /** Whether its end is exported. */
  readonly isExported: boolean;
}

/** `none`: there is no build to run. `gone`: the environment pins a build that was deleted. */
export type FoundBuild =
  | { readonly is: 'build'; readonly row: StoredRow; readonly settings: RunSettings }
  | { readonly is: 'none' }
  | { readonly is: 'gone'; readonly pinned: string };

/** The live build, and all items that were read with it, such as `others`. */
export async function findLiveBuild(
  scope: FlowScope,
  others: readonly Key[] = [],
): Promise<{ readonly build: FoundBuild; readonly items: readonly Item[] }> {
  const { row, settings, items } = await readLive(scope, others);
  return {
    build: row ? { is: 'build', row, settings: toRunSettings(row, 'live', settings) } : { is: 'none' },
    items,
  };
}

/** Two AWS calls; for the live build one, if it is the same as the last time. */
export async function findBuild(scope: FlowScope, environment: Environment): Promise<FoundBuild> {
  if (environment === 'live') return (await findLiveBuild(scope)).build;
  const { settings, named } = await readNamedBuild(scope, environment);
  const row = named === undefined ? await findNewestTest(scope) : await readRow(named);
  if (row) return { is: 'build', row, settings: toRunSettings(row, environment, settings) };
  return named === undefined ? { is: 'none' } : { is: 'gone', pinned: named };
}

async function findNewestTest({ orgid, workspaceid, flowid }: FlowScope): Promise<StoredRow | undefined> {
  const [newest] = await queryRows({ orgid, workspaceid, flowid, status: 'test', limit: 1 });
  return newest;
}

/** For a run that begins now; its budgets are read in the same call. */
export async function readFirstSettings(row: StoredRow, environment: Environment): Promise<RunSettings> {
  const items = await readWithBudgets(row.orgid, [itemKey(row, environment)]);
  return toRunSettings(row, environment, pickSettings(items, row));
}

/** A build by its id, and the budgets of its organisation: one call. */
export async function readRowToStart(id: string, orgid: string): Promise<StoredRow | undefined> {
  const row = findItem(await readWithBudgets(orgid, [rowKey(id)]), rowKey(id));
  return row && storedRow.parse(row);
}

/** For a run whose build is known. One AWS call. */
export async function readRunSettings(row: StoredRow, environment: Environment): Promise<RunSettings> {
  return toRunSettings(row, environment, await readEnvironment(row, environment));
}

/** Variables of the environment override those of the build. */
export const toRunSettings = (
  row: StoredRow,
  environment: Environment,
  settings: EnvironmentSettings | undefined,
): RunSettings => ({
  env: { ...row.env_variable, ...settings?.env },
  keepValues: settings?.keep_values ?? keepValuesDefault(environment),
  isExported: settings?.telemetry !== undefined,
});

const buildOwner = /* @__PURE__ */ z.lazy(() =>
  z.object({
    a2aregistryid: z.string(),
    flowid: z.string(),
    orgid: z.string(),
    workspaceid: z.string(),
  }),
);

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
