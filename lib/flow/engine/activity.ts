// In how many of its scopes a run goes on, and the waits that are slept through beside them. Once it goes on nowhere and asks somebody
// something, those sleeps end, so that the question is heard at once and not after a wait beside it.
import { NodeError } from '../format/node-error.ts';
import type { Clock } from '../ports/clock.ts';
import { createStop, type Stop, sleep } from './stop.ts';

export interface Pulse {
  /** A scope goes on beside those that do already. */
  readonly begin: () => void;
  /** It is over or stands still. */
  readonly end: () => void;
  /** False when it was ended before its time, for the run to stand still. */
  readonly sleep: (stop: Stop, ms: number) => Promise<boolean>;
}

/** Of a run that goes on in one scope, its root. */
export function createPulse(clock: Clock, isAsking: () => boolean): Pulse {
  const sleeping = new Set<Stop>();
  let awake = 1;

  const wakeIfStill = () => {
    if (awake > 0 || sleeping.size === 0 || !isAsking()) return;
    for (const nap of sleeping) nap.end(endedEarly);
  };
  const end = () => {
    awake -= 1;
    // Once all that is ready has gone on: a node has its other scopes to begin, or to judge what the end of this one means for them.
    if (awake === 0) setImmediate(wakeIfStill);
  };
  return {
    begin: () => {
      awake += 1;
    },
    end,
    sleep: async (stop, ms) => {
      const nap = createStop(stop);
      sleeping.add(nap);
      end();
      try {
        await sleep(nap, clock, ms);
        return true;
      } catch (error) {
        if (error !== endedEarly) throw error;
        return false;
      } finally {
        sleeping.delete(nap);
        awake += 1;
        nap.close();
      }
    },
  };
}

/** Told apart by identity; nobody else sees it. */
const endedEarly = new NodeError('canceled', 'The run stands still.');
