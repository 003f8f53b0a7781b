// The run queue: what triggers and continuations put on it, and where a message that cannot be run is parked
// with its reason.
import * as z from 'zod';
import { awsLimits } from '#lib/aws-limits.ts';
import { ServiceError } from '#lib/errors.ts';
import { runId } from '#lib/ids.ts';
import { built } from '#lib/json/built-schema.ts';
import { json } from '#lib/json/json.ts';
import { sendMessage, sendMessages } from '#lib/queue.ts';
import { retry } from '#lib/retry.ts';
import type { TraceContext } from '#lib/trace-context.ts';
import { truncate } from '#lib/truncate.ts';
import type { StoredRun } from './stored-run.ts';

const webhookMessage = /* @__PURE__ */ z.lazy(() =>
  z.strictObject({
    kind: z.literal('webhook'),
    triggerId: runId,
    /**
     * The organisation of the flow. The worker runs the build that is live there when it receives the message.
     */
    orgid: z.string(),
    workspaceid: z.string(),
    flowid: z.string(),
    caller: z.strictObject({ id: z.string(), orgid: z.string() }),
    /** The declared trigger that accepted the event, if one did. */
    trigger_id: z.string().optional(),
    event: json,
    accepted_at: z.iso.datetime(),
  }),
);
/** A schedule that came due. */
const scheduleMessage = /* @__PURE__ */ z.lazy(() =>
  z.strictObject({
    kind: z.literal('schedule'),
    triggerId: runId,
    orgid: z.string(),
    workspaceid: z.string(),
    flowid: z.string(),
    /** As whom it runs: the key that wrote the trigger. */
    caller: z.strictObject({ id: z.string(), orgid: z.string() }),
    trigger_id: z.string(),
    /** RFC 3339: when it was due. */
    scheduled_at: z.string(),
  }),
);
/** A run whose header exists: a background run, or one that another worker continues. */
const runMessage = /* @__PURE__ */ z.lazy(() =>
  z.strictObject({
    kind: z.literal('run'),
    triggerId: runId,
    orgid: z.string(),
    workspaceid: z.string(),
  }),
);

/** A run may continue, because a connection that it waits for was stored. */
const wakeMessage = /* @__PURE__ */ z.lazy(() =>
  z.strictObject({ ...built(runMessage).shape, kind: z.literal('wake') }),
);

/** An event was sent for which a run waits: it finds the event itself. */
const eventMessage = /* @__PURE__ */ z.lazy(() =>
  z.strictObject({ ...built(runMessage).shape, kind: z.literal('event') }),
);

/** Another agent has notified of a task that the run may wait for: it reads the task. */
const notificationMessage = /* @__PURE__ */ z.lazy(() =>
  z.strictObject({
    ...built(runMessage).shape,
    kind: z.literal('notification'),
    /** Names the task (`notificationId`). */
    task: z.string(),
    received_at: z.iso.datetime(),
  }),
);

/** Push notifications that were given up, as their dead letter comes back when it is redriven. */
const pushLetter = /* @__PURE__ */ z.lazy(() =>
  z.strictObject({
    kind: z.literal('push'),
    orgid: z.string(),
    workspaceid: z.string(),
    flowid: z.string(),
    run_id: runId,
    config_id: z.string(),
    version: z.string(),
    /** What lists of dead letters show. */
    event: z.strictObject({ task_id: runId, push_notification_config: z.string() }),
  }),
);

export const queueMessage = /* @__PURE__ */ z.lazy(() =>
  z.discriminatedUnion('kind', [
    webhookMessage,
    scheduleMessage,
    runMessage,
    wakeMessage,
    eventMessage,
    notificationMessage,
    pushLetter,
  ]),
);
export const readMessage = (body: string) => queueMessage.safeParse(parseJson(body));
export type QueueMessage = z.infer<typeof queueMessage>;
export type WebhookMessage = z.infer<typeof webhookMessage>;
export type ScheduleMessage = z.infer<typeof scheduleMessage>;
export type WakeMessage = z.infer<typeof wakeMessage>;
export type EventMessage = z.infer<typeof eventMessage>;
export type NotificationMessage = z.infer<typeof notificationMessage>;
export type PushLetter = z.infer<typeof pushLetter>;

type RunScope = Pick<StoredRun, 'run_id' | 'orgid' | 'workspaceid'>;

const toMessage = <K extends string>(kind: K, { run_id: triggerId, orgid, workspaceid }: RunScope) => ({
  kind,
  triggerId,
  orgid,
  workspaceid,
});

/** Has a worker execute a run whose header exists. */
export const toRunMessage = (run: RunScope) => toMessage('run', run);

export const enqueueRun = async (run: RunScope, delayMs?: number): Promise<void> =>
  await enqueue(toRunMessage(run), delayMs);

export const enqueueNotification = async (
  run: RunScope,
  notification: Pick<NotificationMessage, 'task' | 'received_at'>,
): Promise<void> => await enqueue({ ...toMessage('notification', run), ...notification });

/**
 * Has a worker resume a run at its time. The client of SQS gives up after two seconds, as the webhook needs it; nobody
 * would resume the run, so it is tried again.
 */
export async function enqueuePausedRun(run: RunScope, delayMs?: number): Promise<void> {
  await retry(async (n) => {
    try {
      await enqueueRun(run, delayMs);
      return 'queued';
    } catch (error) {
      if (n + 1 === resumptionTries.triesMax) throw error;
      return undefined;
    }
  }, resumptionTries);
}

const resumptionTries = { triesMax: 3, pauseMs: 200 };

/** SQS delays a message by 15 minutes at most; the worker delays it again when more time is left. */
const delaySecondsMax = awsLimits.sqsDelaySeconds;

/**
 * Returns once SQS has the message. Events of one flow share a group, and so do the other runs of a
 * workspace, so that a busy one does not starve the others (SQS fair queues). The run of an event joins its trace.
 */
export async function enqueue(message: QueueMessage, delayMs = 0, trace?: TraceContext): Promise<void> {
  const delaySeconds = Math.min(Math.max(Math.ceil(delayMs / 1_000), 0), delaySecondsMax);
  await sendMessage('RUN_QUEUE_URL', {
    MessageBody: queueText(message),
    MessageGroupId: messageGroup(message),
    ...(delaySeconds > 0 && { DelaySeconds: delaySeconds }),
    ...(trace && { MessageAttributes: toAttributes(trace) }),
  });
}

/** Beside the message, whose form a worker of an earlier version checks. */
const toAttributes = ({ traceparent, tracestate }: TraceContext) => ({
  traceparent: { DataType: 'String', StringValue: traceparent },
  ...(tracestate !== undefined && { tracestate: { DataType: 'String', StringValue: tracestate } }),
});

const batchMax = awsLimits.sqsBatchEntries;

/**
 * Has a worker resume runs that wait for connections. Returns once SQS has all messages; one call for each
 * ten, all under way at once. When this fails, some may be in the queue.
 */
export const enqueueWakes = async (runs: readonly RunScope[]): Promise<void> =>
  await enqueueAll(runs.map((run) => toMessage('wake', run)));

/** The same for runs that wait for an event. */
export const enqueueEventWakes = async (runs: readonly RunScope[]): Promise<void> =>
  await enqueueAll(runs.map((run) => toMessage('event', run)));

async function enqueueAll(messages: readonly QueueMessage[]): Promise<void> {
  const batches = Array.from({ length: Math.ceil(messages.length / batchMax) }, (_, n) =>
    messages.slice(n * batchMax, (n + 1) * batchMax),
  );
  await Promise.all(batches.map(enqueueBatch));
}

async function enqueueBatch(messages: readonly QueueMessage[]): Promise<void> {
  const [failed] = await sendMessages(
    'RUN_QUEUE_URL',
    messages.map((message, n) => ({
      Id: String(n),
      MessageBody: queueText(message),
      MessageGroupId: messageGroup(message),
    })),
  );
  if (failed) throw new ServiceError('dependency_unavailable', { cause: `SQS: ${failed.Code}` });
}

/**
 * JSON in the characters that SQS takes: it refuses U+FFFE and U+FFFF, and the local queue all above them
 * (emoji), so these are escaped.
 */
const queueText = (message: QueueMessage): string =>
  JSON.stringify(message).replace(
    /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Only letters, digits and punctuation, 128 at most: of two ids of 64, the last letter is cut. */
const messageGroup = (message: QueueMessage) =>
  `${message.orgid}/${message.kind === 'webhook' ? message.flowid : message.workspaceid}`.slice(
    0,
    awsLimits.sqsGroupIdCharacters,
  );

/**
 * For another try, as it came, and in its group, so that putting back thousands does not starve the others.
 */
export async function putBack(body: string): Promise<void> {
  const message = readMessage(body);
  await sendMessage('RUN_QUEUE_URL', {
    MessageBody: body,
    MessageGroupId: message.success ? messageGroup(message.data) : malformedGroup,
  });
}

const malformedGroup = 'malformed';

/** Puts a message that cannot be run into the dead-letter queue as it came, with the reason beside it. */
export async function park(body: string, reason: string): Promise<void> {
  await sendMessage('RUN_DEAD_LETTER_QUEUE_URL', {
    MessageBody: body,
    MessageAttributes: {
      reason: { DataType: 'String', StringValue: truncate(reason.toWellFormed(), 1_000) },
    },
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
