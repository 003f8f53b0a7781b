// The item of a declared trigger. Functions that start runs load it without the schemas of the API, which
// import the parser of cron expressions.
import * as z from 'zod';
import { environmentName } from '#lib/environment/environment.ts';
import type { Schedule } from '#lib/schedule/schedule.ts';
import type { WebhookSource } from '#lib/webhook-source/source.ts';

export const triggerKind = z.enum(['api', 'background', 'webhook', 'schedule']);
export type TriggerKind = z.infer<typeof triggerKind>;

export const respond = z.enum(['accepted', 'result']);

/** Why a schedule was skipped: it was too late, or nothing may be started. */
export const skipReason = z.enum(['missed', 'budget_exhausted']);

/** What the API has checked stays as it is. */
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;
const storedSchedule = z.custom<Schedule>(isObject);
const storedSource = z.custom<WebhookSource>(isObject);

export const storedTrigger = /* @__PURE__ */ z.lazy(() =>
  z.object({
    trigger_id: z.string(),
    kind: triggerKind,
    orgid: z.string(),
    workspaceid: z.string(),
    flowid: z.string(),
    environment: environmentName.optional(),
    message: z.string().optional(),
    /** As JSON. */
    user_variables: z.string().optional(),
    enabled: z.boolean(),
    disabled_reason: z.string().optional(),
    /** Notified of the end of each run, unless the run has a callback of its own. */
    callback_url: z.string().optional(),
    schedule: storedSchedule.optional(),
    source: storedSource.optional(),
    /** Its events are for runs that wait, and start none. */
    deliver: z.object({ event: z.string().optional(), key: z.string() }).optional(),
    /** Whether its events are answered with the results of their runs; absent means `accepted`. */
    respond: respond.optional(),
    /** The address of a trigger with a source. */
    webhook_id: z.string().optional(),
    /**
     * RFC 3339, UTC, with ms: when the schedule was set, and when it is due next, while it is enabled and not
     * over.
     */
    scheduled_since: z.string().optional(),
    next_due: z.string().optional(),
    /** The times, RFC 3339, between which its runs were skipped most recently. */
    last_skipped: z
      .object({ from: z.string(), until: z.string(), reason: skipReason.default('missed') })
      .optional(),
    version: z.number(),
    created_at: z.string(),
    updated_at: z.string(),
    created_by: z.string(),
    updated_by: z.string(),
  }),
);
export type StoredTrigger = z.infer<typeof storedTrigger>;
