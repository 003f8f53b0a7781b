// Files a message of the dead-letter queue where its workspace finds it. What SQS itself gave up on comes without a reason.
import * as z from 'zod';
import { preview } from '#lib/flow/engine/log-preview.ts';
import { deriveRunId, flowid, orgid, runId, workspaceid } from '#lib/ids.ts';
import { type Json, json } from '#lib/json/json.ts';
import type { Log } from '#lib/log.ts';
import { count } from '#lib/metrics.ts';
import { nobody } from '#lib/run/dead-letter.ts';
import { fileLetter } from '#lib/run/dead-letter-items.ts';
import { encryptLetter } from './encrypted-letter.ts';

interface Delivery {
  readonly body: string;
  readonly messageId: string;
  readonly attribute: (name: string) => string | undefined;
  readonly log: Log;
}

const previewCharsMax = 300;
const unknownReason =
  'The worker did not finish with it, however often it was delivered: it crashed, or its time ran out. Its log says more.';

export async function keepDeadLetter({ body, messageId, attribute, log }: Delivery): Promise<void> {
  const { triggerId, event, ...place } = headOf(body);
  const reason = attribute('reason') ?? unknownReason;
  const id = triggerId ?? deriveRunId(body);
  const isNew = await fileLetter({
    ...place,
    id,
    workflow_id: triggerId,
    reason,
    hasEvent: event !== undefined,
    ...(await encryptLetter({ ...place, id }, { body, preview: previewIn(place.orgid, body, event) })),
    messageId,
    at: new Date().toISOString(),
  });
  if (!isNew) return;
  count('DeadLetters', {});
  log.error('dead letter', { id, reason, ...place });
}

/** Of a message that names nobody, only operators see the beginning. */
const previewIn = (orgid: string, body: string, event: Json | undefined): string =>
  preview(orgid === nobody ? body : (event ?? ''), previewCharsMax);

/** What can be read of any message. */
const head = z.object({
  triggerId: runId,
  orgid,
  workspaceid,
  flowid: flowid.optional().catch(undefined),
  event: json.optional().catch(undefined),
});

function headOf(body: string): Partial<z.infer<typeof head>> & { orgid: string; workspaceid: string } {
  try {
    return head.parse(JSON.parse(body));
  } catch {
    return { orgid: nobody, workspaceid: nobody };
  }
}
