// How another agent notifies this service that a task has changed for which a paused run waits: the address and the
// token of its push notifications (A2A v1.0.1 §4.3). The token is a MAC under a key of the tenant over the run and the
// task, so nothing is stored, and nobody who reads the tables can make one. A notification has no content for the
// run: it resumes early, and reads the task. Why: docs/decisions/0043-notified-runs.md.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { derivedKey } from '#lib/dynamo/derived-key.ts';
import { requireEnv } from '#lib/env.ts';
import type { NotificationTarget, RemoteTask } from '#lib/flow/ports/agent.ts';
import { type Secret, secret } from '#lib/secret.ts';

/** Names the task in the address, whatever characters its agent has chosen for its id. */
export const notificationId = ({ agent, task_id }: Pick<RemoteTask, 'agent' | 'task_id'>): string =>
  createHash('sha256')
    .update(JSON.stringify([agent, task_id]))
    .digest('base64url')
    .slice(0, idLength);

/** 132 bits. */
const idLength = 22;

export async function createNotificationTarget(
  runId: string,
  task: Pick<RemoteTask, 'agent' | 'task_id'>,
): Promise<NotificationTarget> {
  const id = notificationId(task);
  const url = `${requireEnv('GATEWAY_URL')}/public/a2a-notifications/${runId}/${id}`;
  return { id, url, token: await computeToken(runId, id) };
}

/** Whether the token was made for this task of this run. Takes the same time for every wrong one. */
export async function isNotificationToken(given: string, runId: string, id: string): Promise<boolean> {
  const token = await computeToken(runId, id);
  const [left, right] = [Buffer.from(given), Buffer.from(token.reveal())];
  return left.length === right.length && timingSafeEqual(left, right);
}

async function computeToken(runId: string, id: string): Promise<Secret> {
  const key = Buffer.from((await derivedKey('taskNotification')).reveal(), 'base64');
  return secret(
    createHmac('sha256', key)
      .update(JSON.stringify([runId, id]))
      .digest('base64url'),
  );
}
