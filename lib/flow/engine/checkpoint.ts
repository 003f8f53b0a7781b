// Stores snapshots through the port, one at a time. Scopes that run concurrently share the next snapshot, so
// that none waits for several.
import type { Ports } from './ports.ts';
import type { Snapshot } from './snapshot.ts';

/** Wraps what the checkpoint port rejects with, to distinguish it from an error of a node. */
export class CheckpointError extends Error {}

/** The returned function settles once a snapshot that was taken after its call is stored. */
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
