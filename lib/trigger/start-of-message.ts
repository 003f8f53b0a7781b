// What a message of a webhook or of the clock starts, found when it is the message's turn: the build, and the input of its run.

import { findBuild } from '#lib/environment/find-build.ts';
import { excessIn } from '#lib/flow/engine/input-size.ts';
import type { FlowInput } from '#lib/flow/engine/run-flow.ts';
import type { ScheduleMessage, WebhookMessage } from '#lib/run/run-queue.ts';
import type { Start } from '#lib/run/start.ts';
import { defaultsOf } from './defaults.ts';
import { eventFingerprint } from './event-fingerprint.ts';
import { goneText } from './resolve-trigger.ts';
import { readTrigger } from './trigger-items.ts';

export type TriggeredStart = Pick<
  Start,
  | 'runId'
  | 'row'
  | 'caller'
  | 'trigger'
  | 'triggerId'
  | 'environment'
  | 'input'
  | 'callbackUrl'
  | 'acceptedAt'
  | 'fingerprint'
>;

/** A text when no later try can help: the reason. A trigger that was disabled meanwhile still starts what was accepted before. */
export async function startOfMessage(
  message: WebhookMessage | ScheduleMessage,
): Promise<TriggeredStart | string> {
  const { orgid, workspaceid, trigger_id } = message;
  const trigger = trigger_id === undefined ? undefined : await readTrigger({ orgid, trigger_id });
  if (trigger_id !== undefined && !trigger) return `The trigger ${trigger_id} is gone.`;
  const flowid = trigger?.flowid ?? message.flowid;
  const environment = trigger?.environment ?? 'live';
  const found = await findBuild({ orgid, workspaceid, flowid }, environment);
  if (found.is === 'gone') return goneText(environment, flowid, found.pinned);
  if (found.is === 'none')
    return `The flow ${flowid} has no ${environment === 'live' ? 'live' : 'test'} build.`;
  const input: FlowInput = { ...defaultsOf(trigger), event: eventOf(message) };
  const excess = excessIn(input);
  if (excess)
    return `The ${excess.part} of the run is larger than ${excess.bytesMax} bytes, with what the trigger adds.`;
  return {
    runId: message.triggerId,
    row: found.row,
    caller: message.caller,
    trigger: message.kind,
    triggerId: trigger_id ?? flowid,
    environment,
    input: JSON.stringify(input),
    ...(message.kind === 'webhook' && ofEvent(message)),
    ...(trigger?.callback_url !== undefined && { callbackUrl: trigger.callback_url }),
  };
}

/** Kept for events without a name too, since a message does not say whether its event has one. */
const ofEvent = ({ triggerId, event, accepted_at }: WebhookMessage) => ({
  acceptedAt: accepted_at,
  fingerprint: eventFingerprint(triggerId, event),
});

/** The flow of a schedule sees for which time it runs. */
const eventOf = (message: WebhookMessage | ScheduleMessage) =>
  message.kind === 'webhook'
    ? message.event
    : { event: 'schedule', data: { trigger_id: message.trigger_id, scheduled_at: message.scheduled_at } };
