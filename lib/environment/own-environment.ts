// What a caller reads and changes of the environments of its workspaces. Changes are conditional on the
// version that was read, so what is checked before a change still holds when it is made.
import { type Caller, requireWorkspace } from '#lib/access/caller.ts';
import { formatEtag, matchesEtag } from '#lib/dynamo/etag.ts';
import { retryOnConflict } from '#lib/dynamo/retry-on-conflict.ts';
import { type FieldError, ServiceError } from '#lib/errors.ts';
import type { Environment } from './environment.ts';
import {
  deleteEnvironment,
  putEnvironment,
  readBuildOwners,
  readEnvironment,
  readEnvironments,
} from './environment-items.ts';
import type { EnvironmentBody, EnvironmentSettings } from './settings.ts';
import { readSinkState } from './sink-items.ts';

export interface EnvironmentName {
  readonly workspaceid: string;
  readonly environment: Environment;
}

export async function getEnvironment(caller: Caller, name: EnvironmentName): Promise<EnvironmentSettings> {
  const settings = await findOwn(caller, name);
  if (settings) return settings;
  throw new ServiceError('environment_not_found', {
    detail: `Nothing is set for the environment ${name.environment} of the workspace.`,
  });
}

/** The state of the sink is no part of the version, so such an answer is never 304. */
export async function withSinkState(settings: EnvironmentSettings) {
  const { telemetry } = settings;
  if (!telemetry) return settings;
  return {
    ...settings,
    telemetry_state: await readSinkState({ ...settings, endpoint: telemetry.endpoint }),
  };
}

export async function listEnvironments(caller: Caller, workspaceid: string): Promise<EnvironmentSettings[]> {
  requireWorkspace(caller, workspaceid);
  return await readEnvironments({ orgid: caller.orgid, workspaceid });
}

export interface SetEnvironmentRequest extends EnvironmentName {
  readonly body: EnvironmentBody;
  readonly at: string;
  readonly ifMatch: string | undefined;
}

/** Replaces the settings: the builds that the environment pins, each checked, and its variables. */
export async function setEnvironment(
  caller: Caller,
  request: SetEnvironmentRequest,
): Promise<EnvironmentSettings> {
  const { body, environment, workspaceid, at } = request;
  const stored = await retryOnConflict(async () => {
    const before = await findOwn(caller, request);
    requireEtag(before, request.ifMatch);
    await requireBuilds(caller, request);
    const settings: EnvironmentSettings = {
      environment,
      workspaceid,
      orgid: caller.orgid,
      ...body,
      version: (before?.version ?? 0) + 1,
      created_at: before?.created_at ?? at,
      updated_at: at,
      updated_by: caller.id,
    };
    return (await putEnvironment(settings, before)) ? settings : undefined;
  });
  if (stored) return stored;
  throw new ServiceError('version_conflict', {
    detail: 'The environment is being changed by others; try again.',
  });
}

/**
 * Deletes the settings: the environment runs the newest test build again, or the live one, without variables
 * of its own.
 */
export async function removeEnvironment(
  caller: Caller,
  name: EnvironmentName,
  ifMatch: string | undefined,
): Promise<void> {
  const removed = await retryOnConflict(async () => {
    const settings = await getEnvironment(caller, name);
    requireEtag(settings, ifMatch);
    return (await deleteEnvironment(settings)) ? settings : undefined;
  });
  if (removed) return;
  throw new ServiceError('version_conflict', {
    detail: 'The environment was changed at the same time; try again.',
  });
}

async function findOwn(
  caller: Caller,
  { workspaceid, environment }: EnvironmentName,
): Promise<EnvironmentSettings | undefined> {
  requireWorkspace(caller, workspaceid);
  return await readEnvironment({ orgid: caller.orgid, workspaceid }, environment);
}

function requireEtag(settings: EnvironmentSettings | undefined, ifMatch: string | undefined): void {
  if (matchesEtag(settings, ifMatch)) return;
  const detail = settings
    ? `The settings now have version ${settings.version} and the ETag "${formatEtag(settings)}"; If-Match names another.`
    : 'Nothing is set for the environment; If-Match requires a version of it.';
  throw new ServiceError('precondition_failed', { detail });
}

/** A build of another flow or workspace gives the same error as a missing one. */
async function requireBuilds(
  caller: Caller,
  { workspaceid, environment, body: { pins } }: SetEnvironmentRequest,
): Promise<void> {
  const pinned = Object.entries(pins);
  if (environment === 'live' && pinned.length > 0)
    throw invalid([{ pointer: '/body/pins', detail: 'must be empty: promotion decides what is live' }]);
  const builds = await readBuildOwners([...new Set(Object.values(pins))]);
  const missing = pinned.filter(
    ([flowid, id]) =>
      !builds.some(
        (build) =>
          build.a2aregistryid === id &&
          build.flowid === flowid &&
          build.orgid === caller.orgid &&
          build.workspaceid === workspaceid,
      ),
  );
  if (missing.length === 0) return;
  const detail = 'must be a build of this flow in this workspace';
  throw invalid(missing.map(([flowid]) => ({ pointer: `/body/pins/${flowid}`, detail })));
}

const invalid = (errors: readonly FieldError[]) => new ServiceError('validation_failed', { errors });
