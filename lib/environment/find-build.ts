// Finds the build that an environment of a workspace runs, and the variables that its flow sees. It does not
// check who may call it.
import { queryRows, readRow } from '#lib/registry/row/row-items.ts';
import type { StoredRow } from '#lib/registry/row/stored-row.ts';
import type { Environment, EnvironmentSettings } from './environment.ts';
import { type FlowScope, readEnvironment, readNamedBuild } from './environment-items.ts';

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
