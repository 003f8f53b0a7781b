// Receives a push notification of another agent about a task that a run of this service waits for. It has a worker read
// the task: whoever has the token cannot make a run believe anything. The content is not used, stored or logged; what
// plainly says that the task is still in progress causes no work.
import * as z from 'zod';
import { ServiceError } from '#lib/errors.ts';
import type { Answer } from '#lib/http/answer.ts';
import type { Request } from '#lib/http/request.ts';
import { readHeader } from '#lib/http/request-headers.ts';
import { isTextDeeperThan, jsonDepthMax } from '#lib/json/depth.ts';
import { readJsonText } from '#lib/json/parse.ts';
import { requireAddressQuota, requireVisitorQuota } from '#lib/limits/visitor-quota.ts';
import { readRun } from '#lib/run/run-items.ts';
import { enqueueNotification } from '#lib/run/run-queue.ts';
import { isFinal } from '#lib/run/stored-run.ts';
import { isNotificationToken } from '#lib/run/task-notification.ts';

interface NotificationParams {
  readonly runId: string;
  readonly notificationId: string;
}

export async function receiveNotification({
  params: { runId, notificationId },
  headers,
  rawBody,
  sourceIp,
  at,
}: Request<NotificationParams>): Promise<Answer<never>> {
  const nowMs = Date.parse(at);
  await requireAddressQuota(sourceIp, nowMs);
  const token = readHeader('X-A2A-Notification-Token', headers) ?? '';
  if (!(await isNotificationToken(token, runId, notificationId))) throw notFound();
  if (isInProgress(rawBody)) return { empty: true };
  await requireVisitorQuota('TASK', `${runId}/${notificationId}`, nowMs);
  const run = await readRun(runId);
  if (!run) throw notFound();
  if (!isFinal(run.status)) await enqueueNotification(run, { task: notificationId, received_at: at });
  return { empty: true };
}

/** The same for a wrong token, one of another task, and a run that does not exist or has expired. */
const notFound = () =>
  new ServiceError('notified_task_not_found', {
    detail: 'No run waits for this task, or the token in X-A2A-Notification-Token is not its own.',
  });

const inProgress = z.enum(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'submitted', 'working']);
const working = z.object({ status: z.object({ state: inProgress }) });

/** Updates of a task that continues, in the forms of 1.0 and 0.3. */
const progressUpdate = z.union([
  z.object({ artifactUpdate: z.object({}) }),
  z.object({ statusUpdate: working }),
  z.object({ task: working }),
  z.object({ kind: z.literal('artifact-update') }),
  working,
]);

/** False for what cannot be read, and for what is too deep to be read cheaply: the task says what it is. */
function isInProgress(body: string): boolean {
  if (isTextDeeperThan(body, jsonDepthMax)) return false;
  const read = readJsonText(body);
  return read.isJson && progressUpdate.safeParse(read.value).success;
}
