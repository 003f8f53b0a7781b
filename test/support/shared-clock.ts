// A clock that several processes of a test share: its time is paused while one of them works, and jumps to the
// next wake-up when all sleep. So nothing waits, and no work is slower than the clock.
interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

export function sharedClock(start = Date.now()) {
  let asleep: Sleeper[] = [];
  let now = start;
  let atWork = 0;
  const settle = () => {
    if (atWork > 0 || asleep.length === 0) return;
    now = Math.min(...asleep.map(({ at }) => at));
    const due = asleep.filter(({ at }) => at === now);
    asleep = asleep.filter(({ at }) => at > now);
    atWork += due.length;
    for (const { wake } of due) wake();
  };
  return {
    now: () => now,
    pass: (ms: number) => {
      now += ms;
    },
    sleep: (ms: number) =>
      new Promise<void>((wake) => {
        asleep.push({ at: now + ms, wake });
        atWork -= 1;
        settle();
      }),
    /** What a process does from its start to its end; sleep in nothing else. */
    process: async <T>(work: () => Promise<T>): Promise<T> => {
      atWork += 1;
      try {
        // Those that begin at the same moment are all counted before one of them falls asleep.
        await Promise.resolve();
        return await work();
      } finally {
        atWork -= 1;
        settle();
      }
    },
  };
}
export type SharedClock = ReturnType<typeof sharedClock>;
