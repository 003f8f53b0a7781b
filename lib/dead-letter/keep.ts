// Stores a message of the dead-letter queue for its workspace. A message that SQS itself moved there has no
// reason.
import * as z from 'zod';
import { preview } from '#lib/flow/engine/log-preview.ts';
import { deriveRunId, flowid, orgid, runId, workspaceid } from '#lib/ids.ts';
import { type Json, json } from '#lib/json/json.ts';
import type { Log } from '#lib/log.ts';
import { count } from '#lib/metrics.ts';
import { unknownOwner } from '#lib/run/dead-letter.ts';
import { fileLetter } from '#lib/run/dead-letter-items.ts';
import { encryptLetter } from './encrypted-letter.ts';

interface DeadLetterMessage {
  readonly body: string;
  readonly messageId: string;
  readonly attribute: (name: string) => string | undefined;
  readonly log: Log;
}

const previewCharsMax = 300;
const unknownReason =
  'The worker did not finish any delivery of the message: it crashed, or its time ran out. See its log.';

export async function keepDeadLetter({ body, messageId, attribute, log }: DeadLetterMessage): Promise<void> {
  const { kind, triggerId, event, ...scope } = readHead(body);
  const reason = attribute('reason') ?? unknownReason;
  const id = triggerId ?? deriveRunId(body);
  const isNew = await fileLetter({
    ...scope,
    id,
    workflow_id: triggerId,
    reason,
    hasEvent: event !== undefined,
    ...(await encryptLetter({ ...scope, id }, { body, preview: createPreview(scope.orgid, body, event) })),
    messageId,
    at: new Date().toISOString(),
  });
  if (!isNew) return;
  // The alarm is about the service. A receiver that fails is a matter of its workspace.
  if (kind !== 'push') count('DeadLetters');
  log.error('dead letter', { id, reason, ...scope });
}

/** If the message names no workspace, only operators see the preview. */
const createPreview = (orgid: string, body: string, event: Json | undefined): string =>
  preview(orgid === unknownOwner ? body : (event ?? ''), previewCharsMax);

/** The members that all messages have. Push notifications belong to a run, and are no run themselves. */
const members = {
  orgid,
  workspaceid,
  flowid: flowid.optional().catch(undefined),
  event: json.optional().catch(undefined),
};
const head = z.union([
  z.object({ kind: z.literal('push'), triggerId: z.undefined().optional(), ...members }),
  z.object({ kind: z.string().optional(), triggerId: runId, ...members }),
]);

function readHead(body: string): Partial<z.infer<typeof head>> & { orgid: string; workspaceid: string } {
  try {
    return head.parse(JSON.parse(body));
  } catch {
    return { orgid: unknownOwner, workspaceid: unknownOwner };
  }
}
