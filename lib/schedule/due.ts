// What to do about a schedule that has come due, perhaps long ago: run it or not, and when it is due next.
import { nextDue, type Running } from './schedule.ts';

/** A run that begins later than this was missed. */
export const graceMs = 15 * 60_000;

interface Decision {
  readonly runs: boolean;
  /** Ms since 1970; undefined when the schedule is over. */
  readonly next: number | undefined;
}

/** `due` is not after `now`. The next time may be past as well: ask again until it is not. */
export function decide(running: Running, due: number, now: number): Decision {
  if (now - due <= graceMs) return { runs: true, next: nextDue(running, due) };
  // What is not missed yet has a run of its own, also beside the one for what was.
  const next = nextDue(running, Math.max(due, now - graceMs - 1));
  return { runs: running.schedule.missed === 'run_once', next };
}
