// The dead letter of a push notification configuration whose receiver has failed all attempts, and what a redrive
// does: the updates that are left are delivered, first the one that failed.

import { enqueuePushCheck, wakeConfig } from '#lib/run/push-queue.ts';
import { type PushLetter, park } from '#lib/run/run-queue.ts';
import type { StoredRun } from '#lib/run/stored-run.ts';
import type { Attempt } from './attempt.ts';
import type { StoredPushConfig } from './push-config.ts';
import { readConfig, reopenConfig } from './push-config-items.ts';

/** The body is the same each time, so a configuration has one dead letter however often it is given up. */
export async function parkPush(run: StoredRun, config: StoredPushConfig, last: Attempt): Promise<void> {
  const { run_id, orgid, workspaceid, flowid } = run;
  const { config_id, version } = config;
  const event = { task_id: run_id, push_notification_config: config_id };
  const letter: PushLetter = { kind: 'push', orgid, workspaceid, flowid, run_id, config_id, version, event };
  const outcome = last.status === undefined ? last.error : `status ${last.status}`;
  await park(
    JSON.stringify(letter),
    `The push notifications of a task were given up after ${config.attempts.length + 1} attempts, the last with ${outcome}.`,
  );
}

/** Has no effect when the configuration was deleted, replaced or redriven in between. */
export async function redrivePush(letter: PushLetter): Promise<void> {
  const { run_id, config_id, version } = letter;
  const config = await readConfig(run_id, config_id);
  if (config?.version !== version) return;
  if (!(await reopenConfig(run_id, config))) return;
  await enqueuePushCheck(letter, config);
  await wakeConfig(letter, config_id);
}
