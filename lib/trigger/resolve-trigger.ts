// Resolves a trigger to what it starts: the build to run, the variables of its environment, and the input
// with the trigger's defaults. Every flow has a trigger of its own, whose id is its flowid and which takes
// every kind of start; declared triggers take one kind each. Callers are checked when they ask; a message of
// a webhook or of a schedule was accepted before and is resolved when a worker takes it. The fingerprint of
// an event shows whether another event came under the same name.
import { type Caller, mayUseWorkspace, requireWorkspace } from '#lib/access/caller.ts';
import type { Environment } from '#lib/environment/environment.ts';
import {
  type FlowScope,
  type FoundBuild,
  findBuild,
  type RunSettings,
} from '#lib/environment/environment-items.ts';
import { findBuildOfEvent } from '#lib/environment/recent-build.ts';
import { ServiceError } from '#lib/errors.ts';
import { computeFingerprint } from '#lib/fingerprint.ts';
import { findExcess } from '#lib/flow/engine/input-size.ts';
import type { FlowInput } from '#lib/flow/engine/run-flow.ts';
import { isTriggerId } from '#lib/ids.ts';
import type { JsonObject } from '#lib/json/json.ts';
import type { StoredRow } from '#lib/registry/row/stored-row.ts';
import type { ScheduleMessage, WebhookMessage } from '#lib/run/run-queue.ts';
import type { RunStart } from '#lib/run/start.ts';
import type { WebhookBody } from '#lib/run/trigger.ts';
import { requireBudget } from '#lib/usage/check-budget.ts';
import type { DeliveringTrigger } from './deliver-event.ts';
import type { StoredTrigger, TriggerKind } from './stored-trigger.ts';
import { readTrigger, readTriggerWithBuild } from './trigger-items.ts';

export interface TriggerAddress {
  readonly workspaceid: string;
  readonly triggerId: string;
  readonly environment: Environment;
  readonly kind: 'api' | 'background';
}

export interface ResolvedTrigger {
  readonly row: StoredRow;
  readonly settings: RunSettings;
  readonly environment: Environment;
  /** Undefined for a flow's own trigger. */
  readonly trigger: StoredTrigger | undefined;
  /** For `applyDefaults`. */
  readonly defaults: TriggerInput;
}

/** One AWS call for a trigger whose live build this process has found before; up to four for others. */
export async function resolveTrigger(caller: Caller, address: TriggerAddress): Promise<ResolvedTrigger> {
  const { workspaceid, triggerId, environment, kind } = address;
  requireWorkspace(caller, workspaceid);
  const declared = isTriggerId(triggerId)
    ? await readDeclared({ orgid: caller.orgid, trigger_id: triggerId }, environment)
    : undefined;
  const trigger = declared && requireUsable(caller, declared.trigger, triggerId, kind);
  if (trigger && trigger.workspaceid !== workspaceid) throw triggerNotFound(triggerId);
  if (trigger?.environment !== undefined && trigger.environment !== environment)
    throw new ServiceError('trigger_kind_mismatch', {
      detail: `The trigger is for the environment ${trigger.environment} only.`,
    });
  const flowid = trigger?.flowid ?? triggerId;
  const build =
    declared?.build ?? (await findBuild({ orgid: caller.orgid, workspaceid, flowid }, environment));
  requireBudget({ orgid: caller.orgid, workspaceid }, caller);
  if (build.is === 'build')
    return {
      row: build.row,
      settings: build.settings,
      environment,
      trigger,
      defaults: readDefaults(trigger),
    };
  if (build.is === 'gone')
    throw new ServiceError('pinned_build_gone', { detail: describeGone(environment, flowid, build.pinned) });
  const wanted = environment === 'live' ? 'live' : 'test';
  throw new ServiceError('trigger_not_found', {
    detail: `The workspace has no trigger ${triggerId} with a ${wanted} build.`,
  });
}

const readDeclared = async (id: Parameters<typeof readTrigger>[0], environment: Environment) =>
  environment === 'live' ? await readTriggerWithBuild(id) : { trigger: await readTrigger(id) };

/** A declared trigger of the caller's organisation that is enabled and of this kind. */
export const usableTrigger = async (
  caller: Caller,
  trigger_id: string,
  kind: Exclude<TriggerKind, 'schedule'>,
): Promise<StoredTrigger> =>
  requireUsable(caller, await readTrigger({ orgid: caller.orgid, trigger_id }), trigger_id, kind);

function requireUsable(
  caller: Caller,
  trigger: StoredTrigger | undefined,
  trigger_id: string,
  kind: Exclude<TriggerKind, 'schedule'>,
): StoredTrigger {
  if (!trigger || !mayUseWorkspace(caller, trigger.workspaceid)) throw triggerNotFound(trigger_id);
  if (trigger.kind !== kind)
    throw new ServiceError('trigger_kind_mismatch', {
      detail: `The trigger ${trigger_id} is of kind ${trigger.kind}; this address is for kind ${kind}.`,
    });
  if (!trigger.enabled)
    throw new ServiceError('trigger_disabled', { detail: `The trigger ${trigger_id} is disabled.` });
  return trigger;
}

export interface TriggerInput {
  readonly message: string;
  readonly user_variables: JsonObject;
}

/** A flow's own trigger has no defaults. */
export const readDefaults = (trigger: StoredTrigger | undefined): TriggerInput => ({
  message: trigger?.message ?? '',
  user_variables: trigger?.user_variables === undefined ? {} : JSON.parse(trigger.user_variables),
});

/** An empty message counts as none. Of a variable that both name, the caller's value counts. */
export const applyDefaults = (
  defaults: TriggerInput,
  given: { readonly message: string; readonly user_variables?: JsonObject | undefined },
): TriggerInput => ({
  message: given.message || defaults.message,
  user_variables: { ...defaults.user_variables, ...given.user_variables },
});

/** Loaded with the first request that names files. */
export async function findFiles(
  caller: Caller,
  workspaceid: string,
  { files }: { readonly files?: readonly string[] | undefined },
): Promise<Pick<FlowInput, 'files'>> {
  if (files === undefined || files.length === 0) return {};
  const { findInputFiles } = await import('./input-files.ts');
  return { files: await findInputFiles(caller, workspaceid, files) };
}

/** What a message starts, or the trigger that delivers it to runs that wait; or, where no later delivery can help, the reason. */
export type ResolvedMessage =
  | { readonly start: Omit<RunStart, 'mode' | 'now' | 'limitMs'>; readonly settings: RunSettings }
  | { readonly deliverBy: DeliveringTrigger }
  | { readonly reason: string };

/** A trigger that was disabled meanwhile still starts what was accepted before. */
export async function resolveMessage(message: WebhookMessage | ScheduleMessage): Promise<ResolvedMessage> {
  const { orgid, workspaceid, trigger_id } = message;
  const trigger = trigger_id === undefined ? undefined : await readTrigger({ orgid, trigger_id });
  if (trigger_id !== undefined && !trigger) return { reason: `The trigger ${trigger_id} is gone.` };
  if (message.kind === 'webhook' && trigger?.deliver)
    return { deliverBy: { ...trigger, deliver: trigger.deliver } };
  const flowid = trigger?.flowid ?? message.flowid;
  const environment = trigger?.environment ?? 'live';
  const build = await findBuildOfMessage(message, { orgid, workspaceid, flowid }, environment);
  if (build.is === 'gone') return { reason: describeGone(environment, flowid, build.pinned) };
  if (build.is === 'none')
    return { reason: `The flow ${flowid} has no ${environment === 'live' ? 'live' : 'test'} build.` };
  const input: FlowInput = { ...readDefaults(trigger), event: toEvent(message) };
  const excess = findExcess(input);
  if (excess) {
    const reason = `The ${excess.part} of the run is larger than ${excess.bytesMax} bytes, with what the trigger adds.`;
    return { reason };
  }
  const start = {
    runId: message.triggerId,
    row: build.row,
    caller: message.caller,
    trigger: message.kind,
    triggerId: trigger_id ?? flowid,
    environment,
    input: JSON.stringify(input),
    ...(message.kind === 'webhook' && { acceptedAt: message.accepted_at }),
    // Also for events without a name, since a message does not say whether its event has one.
    ...(message.kind === 'webhook' && {
      fingerprint: computeEventFingerprint(message.triggerId, message.event),
    }),
    ...(trigger?.callback_url !== undefined && { callbackUrl: trigger.callback_url }),
  };
  return { start, settings: build.settings };
}

const findBuildOfMessage = async (
  message: WebhookMessage | ScheduleMessage,
  scope: FlowScope,
  environment: Environment,
): Promise<FoundBuild> =>
  message.kind === 'webhook'
    ? await findBuildOfEvent(scope, environment, Date.parse(message.accepted_at))
    : await findBuild(scope, environment);

/**
 * It includes the run, so that the fingerprints in the table do not show which runs began with equal events.
 */
export const computeEventFingerprint = (run_id: string, event: WebhookBody): string =>
  computeFingerprint([run_id, event]);

/** The flow of a schedule sees for which time it runs. */
const toEvent = (message: WebhookMessage | ScheduleMessage) =>
  message.kind === 'webhook'
    ? message.event
    : { event: 'schedule', data: { trigger_id: message.trigger_id, scheduled_at: message.scheduled_at } };

const describeGone = (environment: Environment, flowid: string, pinned: string): string =>
  `The environment ${environment} pins ${flowid} to the build ${pinned}, which is gone; pin another.`;

const triggerNotFound = (id: string) =>
  new ServiceError('trigger_not_found', { detail: `The workspace has no trigger ${id}.` });
