// Common to creating and replacing a trigger: the checks between members, and when a schedule is due first.
import { isDeepStrictEqual } from 'node:util';
import { type Caller, requirePermission } from '#lib/access/caller.ts';
import { ServiceError } from '#lib/errors.ts';
import { newWebhookId } from '#lib/ids.ts';
import { readFlow } from '#lib/registry/row/row-items.ts';
import { nextDue } from '#lib/schedule/schedule.ts';
import type { UpdateTriggerBody } from './declared-trigger.ts';
import type { StoredTrigger, TriggerKind } from './stored-trigger.ts';

export interface Written {
  readonly kind: TriggerKind;
  readonly workspaceid: string;
  readonly body: UpdateTriggerBody;
  /** RFC 3339. */
  readonly at: string;
}

/** The flow must exist now. It may lose its builds later: then its triggers find none, and say so. */
export async function requireWritable(
  caller: Caller,
  { kind, workspaceid, body, at }: Written,
): Promise<void> {
  requireSchedule(kind, body, at);
  if (kind !== 'webhook' && body.source) throw wrong('/body/source', 'is only for triggers of kind webhook');
  if (kind !== 'webhook' && body.respond)
    throw wrong('/body/respond', 'is only for triggers of kind webhook');
  await requireDelivery(kind, body);
  if (kind === 'api' && body.callback_url !== undefined)
    throw wrong('/body/callback_url', 'is not for triggers of kind api, whose callers wait for the result');
  // Triggers of the other kinds start a run only for a caller with that permission.
  if (kind === 'schedule' || body.source || body.deliver)
    requirePermission(caller, 'assistants.flows:run', workspaceid);
  const flow = await readFlow(body.flowid, caller.orgid, workspaceid);
  if (!flow || flow.build_count === 0) throw wrong('/body/flowid', 'must be a flow of the workspace');
}

/** What a run needs, a trigger that starts none does not have. */
const withoutDelivery = ['message', 'user_variables', 'callback_url', 'respond'] as const;

async function requireDelivery(kind: TriggerKind, body: UpdateTriggerBody): Promise<void> {
  if (!body.deliver) return;
  if (kind !== 'webhook') throw wrong('/body/deliver', 'is only for triggers of kind webhook');
  for (const member of withoutDelivery)
    if (body[member] !== undefined)
      throw wrong(`/body/${member}`, 'is not for triggers that deliver, which start no run');
  const { findKeyMistake } = await import('./delivery-key.ts');
  const mistake = findKeyMistake(body.deliver.key, body.source !== undefined);
  if (mistake !== undefined) throw wrong('/body/deliver/key', mistake);
}

function requireSchedule(kind: TriggerKind, { schedule, enabled }: UpdateTriggerBody, at: string): void {
  if (kind === 'schedule' && !schedule)
    throw wrong('/body/schedule', 'is required of a trigger of kind schedule');
  if (kind !== 'schedule' && schedule) throw wrong('/body/schedule', 'is only for triggers of kind schedule');
  const now = Date.parse(at);
  if (schedule && enabled !== false && nextDue({ schedule, since: now }, now) === undefined)
    throw wrong('/body/schedule', 'never comes due from now on');
}

const wrong = (pointer: string, detail: string) =>
  new ServiceError('validation_failed', { errors: [{ pointer, detail }] });

/** The members that the body sets. */
export const readBody = ({
  flowid,
  environment,
  message,
  user_variables,
  enabled,
  callback_url,
  schedule,
  source,
  deliver,
  respond,
}: UpdateTriggerBody) => ({
  flowid,
  environment,
  message,
  user_variables: user_variables && JSON.stringify(user_variables),
  enabled: enabled ?? true,
  callback_url,
  schedule,
  source,
  deliver,
  respond,
});

/** A trigger that keeps a source keeps its address, unless another is asked for. */
export const chooseWebhookId = (
  { source, new_address }: UpdateTriggerBody,
  before?: Pick<StoredTrigger, 'webhook_id'>,
): string | undefined => {
  if (!source) return undefined;
  return new_address ? newWebhookId() : (before?.webhook_id ?? newWebhookId());
};

type DueTimes = Pick<StoredTrigger, 'scheduled_since' | 'next_due' | 'last_skipped'>;

/** A schedule that stays as it is keeps its time, also one that is due this moment; any other begins now. */
export function computeDueTimes(
  { body, at }: Pick<Written, 'body' | 'at'>,
  before?: StoredTrigger,
): DueTimes {
  const { schedule, enabled = true } = body;
  if (!schedule || !enabled) return {};
  const isSame = before?.enabled === true && isDeepStrictEqual(before.schedule, schedule);
  if (isSame && before.scheduled_since !== undefined)
    return {
      scheduled_since: before.scheduled_since,
      next_due: before.next_due,
      last_skipped: before.last_skipped,
    };
  const due = nextDue({ schedule, since: Date.parse(at) }, Date.parse(at));
  return {
    scheduled_since: at,
    next_due: due === undefined ? undefined : new Date(due).toISOString(),
  };
}
