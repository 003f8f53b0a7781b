import { describe, expect, test } from 'vitest';
import { decide, graceMs } from '#lib/schedule/due.ts';
import { schedule } from '#lib/schedule/schedule.ts';

const minute = 60_000;
const since = Date.parse('2027-01-01T00:00:00Z');
const due = since + 10 * minute;
const every = (rate: string, missed = 'skip') => ({ schedule: schedule.parse({ rate, missed }), since });

describe('a schedule that is due', () => {
  test.each(['skip', 'run_once'])('runs while it is in time, with %s', (missed) => {
    const running = every('10 minutes', missed);
    const expected = { runs: true, next: due + 10 * minute };
    expect(decide(running, due, due)).toEqual(expected);
    expect(decide(running, due, due + graceMs)).toEqual(expected);
  });

  test('with skip, what was missed is left out, and what is still in time is not', () => {
    const now = due + 60 * minute;
    const decided = decide(every('10 minutes'), due, now);
    expect(decided).toEqual({ runs: false, next: now - 10 * minute });
    expect(decide(every('10 minutes'), decided.next ?? 0, now).runs).toBe(true);
  });

  test('with run_once, all that was missed is one run, and what is still in time is run as well', () => {
    const now = due + 60 * minute;
    expect(decide(every('10 minutes', 'run_once'), due, now)).toEqual({
      runs: true,
      next: now - 10 * minute,
    });
    const hourly = every('1 hour', 'run_once');
    const [eight, nine] = [since + 8 * 60 * minute, since + 9 * 60 * minute];
    expect(decide(hourly, eight, nine + 5 * minute)).toEqual({ runs: true, next: nine });
  });

  test('a single time that was missed is over', () => {
    const at = new Date(due).toISOString();
    const once = (missed: string) => ({ schedule: schedule.parse({ at, missed }), since });
    const late = due + graceMs + 1;
    expect(decide(once('skip'), due, late)).toEqual({ runs: false, next: undefined });
    expect(decide(once('run_once'), due, late)).toEqual({ runs: true, next: undefined });
  });

  test('a clock that stood still for a month is caught up with in a few turns', () => {
    const now = due + 30 * 1_440 * minute;
    let [turns, ran] = [0, 0];
    for (let at: number | undefined = due; at !== undefined && at <= now; turns += 1) {
      const decision = decide(every('1 minute'), at, now);
      if (decision.runs) ran += 1;
      at = decision.next;
    }
    expect(ran).toBe(16);
    expect(turns).toBe(17);
  });
});
