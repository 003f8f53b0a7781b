// The header of a run whose flow only computes. Until the run has an effect, nothing is lost with its process that
// executing it again does not bring back, so it is stored with its end, in one write. A run that takes longer, or does
// not end, is stored before anything else is.
import { type DeferredHeader, insertUnlessOther } from './run-items.ts';
import type { StoredRun } from './stored-run.ts';

/** `beforeStored` is called when it is to be stored alone. */
export function deferHeader(run: StoredRun, beforeStored: () => void = () => undefined): DeferredHeader {
  let stored: Promise<boolean> | undefined;
  return {
    isPending: () => stored === undefined,
    store: async () => {
      if (stored === undefined) beforeStored();
      const storing = stored ?? insertUnlessOther(run).then((other) => other === undefined);
      stored = storing;
      try {
        return await storing;
      } catch (error) {
        if (stored === storing) stored = undefined;
        throw error;
      }
    },
    settle: () => {
      stored = Promise.resolve(true);
    },
  };
}
