// Finds the build that an environment of a workspace runs, and the variables that its flow sees. It does not
// check who may call it.
import type { WorkspaceScope } from '#lib/ids.ts';
import { queryRows, readRow } from '#lib/registry/row-items.ts';
import type { StoredRow } from '#lib/registry/stored-row.ts';
import type { Environment, EnvironmentSettings } from './environment.ts';
import { readEnvironment, readFlowAndLive } from './environment-items.ts';

export type Variables = Readonly<Record<string, string>>;

export interface FlowScope extends WorkspaceScope {
  readonly flowid: string;
}

/** `none`: there is no build to run. `gone`: the environment pins a build that was deleted. */
export type FoundBuild =
  | { readonly is: 'build'; readonly row: StoredRow; readonly env: Variables }
  | { readonly is: 'none' }
  | { readonly is: 'gone'; readonly pinned: string };

/** Two AWS calls. */
export async function findBuild(scope: FlowScope, environment: Environment): Promise<FoundBuild> {
  return environment === 'live' ? await findLive(scope) : await findPinned(scope, environment);
}

async function findLive(scope: FlowScope): Promise<FoundBuild> {
  const { flow, settings } = await readFlowAndLive(scope, scope.flowid);
  const row = flow?.live === undefined ? undefined : await readRow(flow.live);
  return toFoundBuild(row, settings);
}

async function findPinned(scope: FlowScope, environment: Environment): Promise<FoundBuild> {
  const settings = await readEnvironment(scope, environment);
  const pinned = settings && Object.hasOwn(settings.pins, scope.flowid) && settings.pins[scope.flowid];
  if (pinned) {
    const row = await readRow(pinned);
    return row ? toFoundBuild(row, settings) : { is: 'gone', pinned };
  }
  const { orgid, workspaceid, flowid } = scope;
  const [newest] = await queryRows({ orgid, workspaceid, flowid, status: 'test', limit: 1 });
  return toFoundBuild(newest, settings);
}

const toFoundBuild = (row: StoredRow | undefined, settings: EnvironmentSettings | undefined): FoundBuild =>
  row ? { is: 'build', row, env: mergeVariables(row, settings) } : { is: 'none' };

/** For a run whose build is known. One AWS call. */
export async function readVariables(row: StoredRow, environment: Environment): Promise<Variables> {
  return mergeVariables(row, await readEnvironment(row, environment));
}

/** Variables of the environment override those of the build. */
const mergeVariables = (row: StoredRow, settings: EnvironmentSettings | undefined): Variables => ({
  ...row.env_variable,
  ...settings?.env,
});
