// Stores snapshots through the port, one at a time. Scopes that run concurrently share the next snapshot, so
// that none waits for several.
import { limits } from '../format/limits.ts';
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

/**
 * For the snapshot after a node. A snapshot has all results of the child scopes that have ended, so that storing
 * one after each of 10,000 items would take time that grows with the square of their number. With many results,
 * only one of several is stored, and what a crash repeats is at most about 1 % of them.
 */
export function createThinnedKeeper(keep: () => Promise<void>, countResults: () => number) {
  let passed = 0;
  return (): Promise<void> | undefined => {
    passed += 1;
    if (passed * limits.resultsPerSnapshot < countResults()) return undefined;
    passed = 0;
    return keep();
  };
}
