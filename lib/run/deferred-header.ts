// The header of a run whose flow only computes. Until the run has an effect, nothing is lost with its process that
// executing it again does not bring back, so it is stored with its end, in one write. A run that takes longer, or does
// not end, is stored before anything else is.
import { insertOwnRun } from './run-items.ts';
import type { StoredRun } from './stored-run.ts';

export interface DeferredHeader {
  readonly isPending: () => boolean;
  /** Stores it unless it is stored. False when another process has stored a run of this id. */
  readonly store: () => Promise<boolean>;
  /** Call it once it is stored with the end. */
  readonly settle: () => void;
}

export function deferHeader(run: StoredRun): DeferredHeader {
  let stored: Promise<boolean> | undefined;
  return {
    isPending: () => stored === undefined,
    store: async () => {
      stored ??= insertOwnRun(run);
      try {
        return await stored;
      } catch (error) {
        stored = undefined;
        throw error;
      }
    },
    settle: () => {
      stored = Promise.resolve(true);
    },
  };
}
