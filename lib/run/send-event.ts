// Sends an event to the runs that wait for it: stores it, and has a worker resume each of these runs. A run that is
// busy, or that begins to wait within `eventKeepSeconds`, finds the event itself.
import * as z from 'zod';
import { environment } from '#lib/environment/environment.ts';
import { ServiceError } from '#lib/errors.ts';
import { computeFingerprint } from '#lib/fingerprint.ts';
import { eventKeyExpected, readEventKey } from '#lib/flow/format/event-name.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { newRunId } from '#lib/ids.ts';
import { jsonObject } from '#lib/json/json.ts';
import { jsonBytes, tooLarge } from '#lib/json/size.ts';
import {
  deleteAwaiting,
  type EventTopic,
  queryAwaiting,
  type SentEvent,
  storeSentEvent,
} from './event-items.ts';
import { eventName, mustBe } from './event-name.ts';
import { enqueueEventWakes } from './run-queue.ts';

export const sendEventBody = z
  .strictObject({
    event: eventName.meta({
      description: 'Name of the event, as the `event` of the `wait` says it.',
      example: 'payment.completed',
    }),
    key: z
      .union([z.string(), z.number()])
      .refine((key) => readEventKey(key) !== undefined, mustBe(eventKeyExpected))
      .meta({
        description: `Only runs whose \`wait\` has this \`key\` get the event. A text of 1 to ${limits.eventKeyChars} characters without control characters, or a number, which is the same as its text.`,
        example: '1042',
      }),
    data: jsonObject
      .refine((data) => jsonBytes(data) <= limits.eventDataBytes, tooLarge(limits.eventDataBytes))
      .optional()
      .meta({
        description: `Content of the event, free in form; ${limits.eventDataBytes} bytes of JSON at most.`,
      }),
    id: z
      .string()
      .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters')
      .optional()
      .meta({
        description:
          'Names the event: sent again under this id within 24 hours, with the same name and key, it has no further effect. Generated if absent.',
        example: 'evt_8812',
      }),
    environment: environment
      .optional()
      .meta({ description: 'Only runs in this environment get the event; `live` by default.' }),
  })
  .meta({ id: 'SendRunEvent' });
type SendEventBody = z.infer<typeof sendEventBody>;

export const sentReceipt = z
  .strictObject({
    id: z.string(),
    status: z.literal('accepted'),
    waiting_runs: z.int().meta({
      description: 'How many runs waited for the event and are resumed now. Others may find it later.',
    }),
  })
  .meta({ id: 'RunEventAccepted' });
type SentReceipt = z.infer<typeof sentReceipt>;

interface Owner {
  readonly orgid: string;
  readonly workspaceid: string;
}

/** Beside the runs that wait two AWS calls. */
export async function acceptRunEvent(
  owner: Owner,
  { event, key, data = {}, id, environment = 'live' }: SendEventBody,
  at: string,
): Promise<SentReceipt> {
  const topic = { ...owner, environment, event, key: String(key) };
  const fingerprint = id === undefined ? undefined : computeFingerprint([topic, data]);
  const sent = { id: id ?? newRunId(), data, at, ...(fingerprint !== undefined && { fingerprint }) };
  const { before, waiting } = await sendEvent(topic, sent);
  if (before !== undefined && before !== fingerprint) {
    const detail = 'The id came with other data before; use a new one for each event.';
    const errors = [{ pointer: '/body/id', detail: 'must be new for each event' }];
    throw new ServiceError('idempotency_key_reused', { detail, errors });
  }
  return { id: sent.id, status: 'accepted', waiting_runs: waiting };
}

interface Sending {
  /** The fingerprint of the event that was sent under this name before, which counts. */
  readonly before: string | undefined;
  /** How many runs are resumed. */
  readonly waiting: number;
}

/** An event that is sent again resumes the runs that its first sender may have died before. */
export async function sendEvent(topic: EventTopic, sent: SentEvent): Promise<Sending> {
  const before = await storeSentEvent(topic, { ...sent, at: new Date(sent.at).toISOString() });
  return { before, waiting: await wakeAwaiting(topic) };
}

const pageSize = 100;
/** 10,000 runs, some seconds. Those beyond are resumed when the event is sent again. */
const pagesMax = 100;

/** If it fails, sending the event again resumes those that are left. */
async function wakeAwaiting(topic: EventTopic): Promise<number> {
  let count = 0;
  let after = '';
  for (let page = 0; page < pagesMax; page += 1) {
    const items = await queryAwaiting(topic, after, pageSize);
    const last = items.at(-1);
    if (!last) break;
    const { orgid, workspaceid } = topic;
    const runs = new Set(items.map(({ run_id }) => run_id));
    await enqueueEventWakes([...runs].map((run_id) => ({ run_id, orgid, workspaceid })));
    await deleteAwaiting(items);
    count += runs.size;
    if (items.length < pageSize) break;
    after = last.sk;
  }
  return count;
}
