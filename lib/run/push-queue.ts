// The messages of push notifications. A task without configurations sends none. The event of a task that has
// some wakes the function that delivers, by one message for all its configurations; and each configuration
// has a message that was queued before it was stored and checks every quarter of an hour, so that no update
// is lost with the process that stored its event.
import { requestLog } from '#lib/log.ts';
import { checkSeconds, enqueueDelivery, type PushMessage } from './delivery-queue.ts';
import type { EventItem, StoredRun } from './stored-run.ts';

type RunWithPush = Pick<StoredRun, 'run_id' | 'orgid' | 'push_configs'>;

/** Call it once an event is stored. */
export async function wakePush(run: RunWithPush, event: EventItem): Promise<void> {
  if (run.push_configs !== undefined && mayUpdateTask(event)) await tryEnqueue(pushMessage(run));
}

/** Call it once a configuration is stored. */
export const wakeConfig = async (run: RunWithPush, config_id: string): Promise<void> =>
  await tryEnqueue({ ...pushMessage(run), config_id });

/** The next check finds what is left when this fails. */
async function tryEnqueue(message: PushMessage): Promise<void> {
  try {
    await enqueueDelivery(message);
  } catch (error) {
    const reason = error instanceof Error ? error.name : 'unknown';
    requestLog({}).warn('push notifications were not queued', { run_id: message.run_id, reason });
  }
}

/** The log of a run, and what its models use and write to themselves, are no part of the task. */
function mayUpdateTask({ generation: _, at: __, logs: ___, usage: ____, texts: _____, ...event }: EventItem) {
  const { status, ...content } = event;
  return status !== 'working' || Object.values(content).some((value) => value !== undefined);
}

/** Call it before a configuration is stored; if it throws, do not store it. */
export async function enqueuePushCheck(
  run: RunWithPush,
  config: { readonly config_id: string; readonly version: string },
): Promise<void> {
  const { config_id, version: check } = config;
  await enqueueDelivery({ ...pushMessage(run), config_id, check, wait_seconds: checkSeconds });
}

export const pushMessage = ({ run_id, orgid }: Pick<StoredRun, 'run_id' | 'orgid'>): PushMessage => ({
  kind: 'push',
  run_id,
  orgid,
  attempt: 0,
  wait_seconds: 0,
});
