// The events that were sent for the open waits of a run: found when it is resumed, and once more when it has paused.
import type { AwaitedEvent, ReceivedEvent } from '#lib/flow/engine/pause.ts';
import type { ReceivedEvents } from '#lib/flow/engine/received-events.ts';
import { findAwaitedEvents, type Snapshot } from '#lib/flow/engine/snapshot.ts';
import { findSentItem, openSentItem, takeSentItem } from './event-items.ts';
import type { StoredRun } from './stored-run.ts';

/** One query for each open wait, and an update for each event that no run has received; nothing for runs that await none. */
export async function takeSentEvents(
  run: StoredRun,
  snapshot: Snapshot | undefined,
): Promise<readonly ReceivedEvent[]> {
  const awaited = snapshot ? findAwaitedEvents(snapshot) : [];
  if (awaited.length === 0) return [];
  const found = await Promise.all(
    awaited.map(async (each) => {
      const item = await takeSentItem(run, each, snapshot?.received);
      return item ? [await openSentItem(run, each, item)] : [];
    }),
  );
  return found.flat();
}

export interface Awaiting {
  readonly awaited: readonly AwaitedEvent[];
  readonly received: ReceivedEvents | undefined;
}

/**
 * Call it once the pause is stored: for events that were sent after the run had looked for them, and before its
 * items could be found. If the events cannot be read, a worker looks for them.
 */
export async function wakeIfSent(run: StoredRun, { awaited, received }: Awaiting): Promise<void> {
  const isSent = async (each: AwaitedEvent) => (await findSentItem(run, each, received)) !== undefined;
  const sent = await Promise.all(awaited.map((each) => isSent(each).catch(() => true)));
  if (!sent.includes(true)) return;
  const { enqueueEventWakes } = await import('./run-queue.ts');
  await enqueueEventWakes([run]);
}
