// Replaces what is set for an environment: the builds that it pins, each checked, and its variables.

import type { Caller } from '#lib/access/caller.ts';
import { retryOnConflict } from '#lib/dynamo/retry-on-conflict.ts';
import { type FieldError, ServiceError } from '#lib/errors.ts';
import type { EnvironmentBody, EnvironmentSettings } from './environment.ts';
import { putEnvironment, readBuildPlaces } from './environment-items.ts';
import { findOwn, type Place, requireEdition } from './own-environment.ts';

export interface Setting extends Place {
  readonly body: EnvironmentBody;
  readonly at: string;
  readonly ifMatch: string | undefined;
}

export async function setEnvironment(caller: Caller, setting: Setting): Promise<EnvironmentSettings> {
  const { body, environment, workspaceid, at } = setting;
  const set = await retryOnConflict(async () => {
    const before = await findOwn(caller, setting);
    requireEdition(before, setting.ifMatch);
    await requireBuilds(caller, setting);
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
  if (set) return set;
  throw new ServiceError('version_conflict', {
    detail: 'The environment is being changed by others; try again.',
  });
}

/** A build of another flow or workspace is answered like a missing one. */
async function requireBuilds(
  caller: Caller,
  { workspaceid, environment, body: { pins } }: Setting,
): Promise<void> {
  const pinned = Object.entries(pins);
  if (environment === 'live' && pinned.length > 0)
    throw refusal([{ pointer: '/body/pins', detail: 'must be empty: promotion says what is live' }]);
  const builds = await readBuildPlaces([...new Set(Object.values(pins))]);
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
  throw refusal(missing.map(([flowid]) => ({ pointer: `/body/pins/${flowid}`, detail })));
}

const refusal = (errors: readonly FieldError[]) => new ServiceError('validation_failed', { errors });
