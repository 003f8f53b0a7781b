// The settings of an environment in a workspace of the caller's, at the edition they expect, if they do.
import { type Caller, requireWorkspace } from '#lib/access/caller.ts';
import { formatEtag, matchesEtag } from '#lib/dynamo/etag.ts';
import { ServiceError } from '#lib/errors.ts';
import type { Environment, EnvironmentSettings } from './environment.ts';
import { readEnvironment, readEnvironments } from './environment-items.ts';

export interface Place {
  readonly workspaceid: string;
  readonly environment: Environment;
}

export async function ownEnvironment(caller: Caller, place: Place): Promise<EnvironmentSettings> {
  const settings = await findOwn(caller, place);
  if (settings) return settings;
  throw new ServiceError('environment_not_found', {
    detail: `Nothing is set for the environment ${place.environment} of the workspace.`,
  });
}

export async function findOwn(
  caller: Caller,
  { workspaceid, environment }: Place,
): Promise<EnvironmentSettings | undefined> {
  requireWorkspace(caller, workspaceid);
  return await readEnvironment({ orgid: caller.orgid, workspaceid }, environment);
}

export async function listEnvironments(caller: Caller, workspaceid: string): Promise<EnvironmentSettings[]> {
  requireWorkspace(caller, workspaceid);
  return await readEnvironments({ orgid: caller.orgid, workspaceid });
}

/** What is checked here holds at the change too, as that is conditional on the edition that was read. */
export function requireEdition(settings: EnvironmentSettings | undefined, ifMatch: string | undefined): void {
  if (matchesEtag(settings, ifMatch)) return;
  const detail = settings
    ? `The settings have version ${settings.version} now, and their ETag is "${formatEtag(settings)}"; If-Match names another.`
    : 'Nothing is set for the environment; If-Match wants a version of it.';
  throw new ServiceError('precondition_failed', { detail });
}
