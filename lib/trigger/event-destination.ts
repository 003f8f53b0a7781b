// The destination of the events of an API key for a flow, and the secrets that must sign them: read once in
// ten seconds by each process.
import type { Caller } from '#lib/access/caller.ts';
import { boundedMap } from '#lib/bounded-map.ts';
import { ServiceError } from '#lib/errors.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { isTriggerId } from '#lib/ids.ts';
import { jsonBytes } from '#lib/json/size.ts';
import { findOwnFlow } from '#lib/registry/find-agent.ts';
import type { WebhookMessage } from '#lib/run/run-queue.ts';
import type { Secret } from '#lib/secret.ts';
import { onSecretsChanged, rememberedSecretsMs } from '#lib/webhook-secret/changes.ts';
import { secretsInForce } from '#lib/webhook-secret/encrypted-secret.ts';
import { readDefaults, usableTrigger } from './resolve-trigger.ts';
import type { StoredTrigger } from './stored-trigger.ts';

export interface EventDestination
  extends Pick<WebhookMessage, 'orgid' | 'workspaceid' | 'flowid' | 'trigger_id'> {
  /** When the declared trigger was created: another trigger that takes its id later has events of its own. */
  readonly declared_at: string | undefined;
  /** In force for the flow; events need no signature where there are none. */
  readonly secrets: readonly Secret[];
  /** What is left to an event beside what the trigger says. */
  readonly eventBytesMax: number;
  /** Whether an event is answered with the result of its run. */
  readonly isAnswered: boolean;
}

/**
 * A change of the live build is seen within seconds, and the worker looks again anyway. The wall clock
 * decides, as the monotonic clock stops while Lambda freezes the process.
 */
const destinations = boundedMap<string, EventDestination>({
  entriesMax: 1_000,
  keptMs: rememberedSecretsMs,
});

onSecretsChanged(({ orgid, workspaceid, flowid }) => {
  for (const [name, destination] of destinations.entries())
    if (
      destination.orgid === orgid &&
      destination.workspaceid === workspaceid &&
      destination.flowid === flowid
    )
      destinations.delete(name);
});

/** `id` is that of a flow or of a declared trigger. */
export async function findDestination(caller: Caller, id: string, nowMs: number): Promise<EventDestination> {
  // Ids of keys are unique within an organisation.
  const name = `${caller.orgid}/${id}/${caller.id}`;
  const known = destinations.get(name);
  if (known) return known;
  // Before anything is read: what is changed from here on must hold when the time that its answer states has
  // come.
  const start = Date.now();
  const found = isTriggerId(id)
    ? await findTriggerDestination(caller, id)
    : await findFlowDestination(caller, id);
  const destination = await withSecrets(found, nowMs);
  destinations.set(name, destination, start + rememberedSecretsMs);
  return destination;
}

async function findFlowDestination(caller: Caller, flowid: string) {
  const flow = await findOwnFlow(caller, flowid);
  if (flow) {
    const { orgid, workspaceid } = flow;
    return {
      orgid,
      workspaceid,
      flowid,
      declared_at: undefined,
      eventBytesMax: limits.eventBytes,
      isAnswered: false,
    };
  }
  throw new ServiceError('trigger_not_found', { detail: `There is no flow ${flowid} with a live build.` });
}

async function findTriggerDestination(caller: Caller, id: string) {
  const trigger = await usableTrigger(caller, id, 'webhook');
  if (trigger.source)
    throw new ServiceError('trigger_kind_mismatch', {
      detail: `The trigger ${id} takes the events of its source, at its own address.`,
    });
  return toDestination(trigger);
}

export function toDestination(trigger: StoredTrigger): Omit<EventDestination, 'secrets'> {
  const { orgid, workspaceid, flowid, trigger_id, created_at: declared_at } = trigger;
  const room = limits.inputBytes - jsonBytes({ ...readDefaults(trigger), event: {} });
  const eventBytesMax = Math.min(trigger.deliver ? limits.eventDataBytes : limits.eventBytes, room);
  const isAnswered = trigger.respond === 'result';
  return { orgid, workspaceid, flowid, trigger_id, declared_at, eventBytesMax, isAnswered };
}

/** The destination with the secrets that are in force now. */
export async function withSecrets(
  found: Omit<EventDestination, 'secrets'>,
  nowMs: number,
): Promise<EventDestination> {
  const { orgid, workspaceid, flowid } = found;
  return { ...found, secrets: await secretsInForce({ orgid, workspaceid, flowid }, nowMs) };
}
