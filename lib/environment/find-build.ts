// The build that an environment of a workspace runs, and the variables that its flow sees. Says nothing about who may call it.
import { queryRows, readRow } from '#lib/registry/row-items.ts';
import type { StoredRow } from '#lib/registry/stored-row.ts';
import type { Environment, EnvironmentSettings } from './environment.ts';
import { readEnvironment, readFlowAndLive, type Workspace } from './environment-items.ts';

export type Variables = Readonly<Record<string, string>>;

export interface FlowPlace extends Workspace {
  readonly flowid: string;
}

/** `none`: there is no build to run. `gone`: there was one, which the environment still pins. */
export type FoundBuild =
  | { readonly is: 'build'; readonly row: StoredRow; readonly env: Variables }
  | { readonly is: 'none' }
  | { readonly is: 'gone'; readonly pinned: string };

/** Two AWS calls. */
export async function findBuild(place: FlowPlace, environment: Environment): Promise<FoundBuild> {
  return environment === 'live' ? await findLive(place) : await findPinned(place, environment);
}

async function findLive(place: FlowPlace): Promise<FoundBuild> {
  const { flow, settings } = await readFlowAndLive(place, place.flowid);
  const row = flow?.live === undefined ? undefined : await readRow(flow.live);
  return found(row, settings);
}

async function findPinned(place: FlowPlace, environment: Environment): Promise<FoundBuild> {
  const settings = await readEnvironment(place, environment);
  const pinned = settings && Object.hasOwn(settings.pins, place.flowid) && settings.pins[place.flowid];
  if (pinned) {
    const row = await readRow(pinned);
    return row ? found(row, settings) : { is: 'gone', pinned };
  }
  const { orgid, workspaceid, flowid } = place;
  const [newest] = await queryRows({ orgid, workspaceid, flowid, status: 'test', limit: 1 });
  return found(newest, settings);
}

const found = (row: StoredRow | undefined, settings: EnvironmentSettings | undefined): FoundBuild =>
  row ? { is: 'build', row, env: merged(row, settings) } : { is: 'none' };

/** For a run whose build is known. One AWS call. */
export async function variablesOf(row: StoredRow, environment: Environment): Promise<Variables> {
  return merged(row, await readEnvironment(row, environment));
}

/** The environment knows better than a build where it runs. */
const merged = (row: StoredRow, settings: EnvironmentSettings | undefined): Variables => ({
  ...row.env_variable,
  ...settings?.env,
});
