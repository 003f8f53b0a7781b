// Virtual time of the processes of a run: it moves only while nothing else is to be done, to the next timer.

export interface Timeline {
  now: number;
}

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

export function createClock(timeline: Timeline) {
  const sleepers = new Set<Sleeper>();
  return {
    /** Wakes whoever sleeps the shortest. False if nobody sleeps. */
    advance: (): boolean => {
      const [first, ...others] = sleepers;
      if (!first) return false;
      const next = others.reduce((earliest, one) => (one.at < earliest.at ? one : earliest), first);
      sleepers.delete(next);
      timeline.now = Math.max(timeline.now, next.at);
      next.wake();
      return true;
    },
    sleep: (ms: number, signal: AbortSignal): Promise<void> => {
      if (ms <= 0) return Promise.resolve();
      return new Promise((resolve, reject) => {
        const sleeper = { at: timeline.now + ms, wake: resolve };
        sleepers.add(sleeper);
        signal.addEventListener('abort', () => {
          sleepers.delete(sleeper);
          reject(signal.reason);
        });
      });
    },
  };
}

/** Everything that is ready continues, including what it makes ready in turn. */
export async function settle(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
  await new Promise<void>((resolve) => setImmediate(resolve));
}
