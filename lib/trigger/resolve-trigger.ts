// What stands behind the address of a trigger: the build to run, the variables of its environment, and what the trigger says by default. Every
// flow has a trigger of its own, whose id is its flowid and which is for every door; the others are declared, each for one kind of door.
import type { Caller } from '#lib/access/caller.ts';
import { mayUseWorkspace, requireWorkspace } from '#lib/access/permission.ts';
import type { Environment } from '#lib/environment/environment.ts';
import { findBuild, type Variables } from '#lib/environment/find-build.ts';
import { ServiceError } from '#lib/errors.ts';
import { isTriggerId } from '#lib/ids.ts';
import type { StoredRow } from '#lib/registry/stored-row.ts';
import { defaultsOf, type Opening } from './defaults.ts';
import type { StoredTrigger, TriggerKind } from './stored-trigger.ts';
import { readTrigger } from './trigger-items.ts';

export interface TriggerAddress {
  readonly workspaceid: string;
  readonly triggerId: string;
  readonly environment: Environment;
  readonly kind: 'api' | 'background';
}

export interface ResolvedTrigger {
  readonly row: StoredRow;
  readonly env: Variables;
  readonly environment: Environment;
  /** Undefined for a flow's own. */
  readonly trigger: StoredTrigger | undefined;
  /** For `withDefaults`, which puts them under what the caller says. */
  readonly defaults: Opening;
}

/** Two AWS calls for a flow's own trigger, three for a declared one. */
export async function resolveTrigger(caller: Caller, address: TriggerAddress): Promise<ResolvedTrigger> {
  const { workspaceid, triggerId, environment, kind } = address;
  requireWorkspace(caller, workspaceid);
  const trigger = isTriggerId(triggerId) ? await usableTrigger(caller, triggerId, kind) : undefined;
  if (trigger && trigger.workspaceid !== workspaceid) throw noTrigger(triggerId);
  if (trigger?.environment !== undefined && trigger.environment !== environment)
    throw new ServiceError('trigger_kind_mismatch', {
      detail: `The trigger is for the environment ${trigger.environment} only.`,
    });
  const flowid = trigger?.flowid ?? triggerId;
  const found = await findBuild({ orgid: caller.orgid, workspaceid, flowid }, environment);
  if (found.is === 'build')
    return { row: found.row, env: found.env, environment, trigger, defaults: defaultsOf(trigger) };
  if (found.is === 'gone')
    throw new ServiceError('pinned_build_gone', { detail: goneText(environment, flowid, found.pinned) });
  const wanted = environment === 'live' ? 'live' : 'test';
  throw new ServiceError('trigger_not_found', {
    detail: `The workspace has no trigger ${triggerId} with a ${wanted} build.`,
  });
}

/** A declared trigger of the caller's that may be used at a door of its kind now. */
export async function usableTrigger(
  caller: Caller,
  trigger_id: string,
  kind: Exclude<TriggerKind, 'schedule'>,
): Promise<StoredTrigger> {
  const trigger = await readTrigger({ orgid: caller.orgid, trigger_id });
  if (!trigger || !mayUseWorkspace(caller, trigger.workspaceid)) throw noTrigger(trigger_id);
  if (trigger.kind !== kind)
    throw new ServiceError('trigger_kind_mismatch', {
      detail: `The trigger ${trigger_id} is of kind ${trigger.kind}; this address is for kind ${kind}.`,
    });
  if (!trigger.enabled)
    throw new ServiceError('trigger_disabled', { detail: `The trigger ${trigger_id} is disabled.` });
  return trigger;
}

export const goneText = (environment: Environment, flowid: string, pinned: string): string =>
  `The environment ${environment} pins ${flowid} to the build ${pinned}, which is gone; pin another.`;

const noTrigger = (id: string) =>
  new ServiceError('trigger_not_found', { detail: `The workspace has no trigger ${id}.` });
