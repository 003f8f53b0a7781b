// What the pause of a run says of the events that it awaits. Few runs do: the rest is loaded by the first one.
import { findAwaitedEvents, type Snapshot } from '#lib/flow/engine/snapshot.ts';
import type { Awaiting } from './awaited-events.ts';
import type { HeaderChange } from './run-items.ts';
import type { StoredRun } from './stored-run.ts';

export const readAwaiting = (snapshot: Snapshot): Awaiting => ({
  awaited: findAwaitedEvents(snapshot),
  received: snapshot.received,
});

/** The items to store with the pause, by which senders find the run. */
export async function listWaiting(
  run: StoredRun,
  lease: string,
  { awaited }: Awaiting,
): Promise<readonly object[]> {
  if (awaited.length === 0) return [];
  const { toAwaitingItems } = await import('./event-items.ts');
  return toAwaitingItems(run, lease, awaited);
}

/** Call it once the pause is stored. */
export async function lookForEvents(run: StoredRun, awaiting: Awaiting): Promise<void> {
  if (awaiting.awaited.length === 0) return;
  const { wakeIfSent } = await import('./awaited-events.ts');
  await wakeIfSent(run, awaiting);
}

/** For the header of the run. */
export function noteAwaiting(
  { awaits_events: before = false }: StoredRun,
  { awaited }: Awaiting,
): HeaderChange {
  const awaits_events = awaited.length > 0;
  return awaits_events === before ? {} : { awaits_events };
}
