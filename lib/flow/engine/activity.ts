// Counts the active scopes of a run, and tracks the waits that are slept through. Once no scope is active and
// the run asks a question or waits for an event, the sleeps end, so that the caller receives the question, and the run
// the event, at once.
import { NodeError } from '../format/node-error.ts';
import type { Clock } from '../ports/clock.ts';
import { createStop, type Stop, sleep } from './stop.ts';

export interface Activity {
  /** Another scope has become active. */
  readonly begin: () => void;
  /** The scope has ended or is paused. */
  readonly end: () => void;
  /** Resolves to false if it ended early, so that the run can pause. */
  readonly sleep: (stop: Stop, ms: number) => Promise<boolean>;
}

/** The root scope counts as active from the start. */
export function createActivity(clock: Clock, isListening: () => boolean): Activity {
  const sleeping = new Set<Stop>();
  let active = 1;

  const endSleepsIfPaused = () => {
    if (active > 0 || sleeping.size === 0 || !isListening()) return;
    for (const wait of sleeping) wait.end(endedEarly);
  };
  const end = () => {
    active -= 1;
    // Deferred until all pending continuations have run: a node may open other scopes, or drop some because
    // this one ended.
    if (active === 0) setImmediate(endSleepsIfPaused);
  };
  return {
    begin: () => {
      active += 1;
    },
    end,
    sleep: async (stop, ms) => {
      const wait = createStop(stop);
      sleeping.add(wait);
      end();
      try {
        await sleep(wait, clock, ms);
        return true;
      } catch (error) {
        if (error !== endedEarly) throw error;
        return false;
      } finally {
        sleeping.delete(wait);
        active += 1;
        wait.close();
      }
    },
  };
}

/** Compared by identity; not visible outside this file. */
const endedEarly = new NodeError('canceled', 'The run is paused.');
