// Keeps snapshots through the port, one at a time: scopes that run beside each other share the next one, so that none waits for many.
import type { Ports } from './ports.ts';
import type { Snapshot } from './snapshot.ts';

/** What is thrown by the port that keeps snapshots, so that it is not taken for a node's error. */
export class CheckpointError extends Error {}

/** Settles once a snapshot is kept that was taken after the call. */
export function createKeeper(checkpoint: Ports['checkpoint'], take: () => Snapshot): () => Promise<void> {
  let running: Promise<void> | undefined;
  let following: Promise<void> | undefined;

  const keep = (): Promise<void> => {
    const kept = checkpoint(take()).then(
      () => {
        running = undefined;
      },
      (cause: unknown) => {
        running = undefined;
        throw new CheckpointError('The snapshot was not kept.', { cause });
      },
    );
    running = kept;
    return kept;
  };

  return () => {
    if (!running) return keep();
    following ??= running.then(() => {
      following = undefined;
      return keep();
    });
    return following;
  };
}
