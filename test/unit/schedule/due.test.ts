import { describe, expect, test } from 'vitest';
import { decideDueRun, graceMs, schedule } from '#lib/schedule/schedule.ts';

const minute = 60_000;
const since = Date.parse('2027-01-01T00:00:00Z');
const due = since + 10 * minute;
const every = (rate: string, missed = 'skip') => ({ schedule: schedule.parse({ rate, missed }), since });

describe('a schedule that is due', () => {
  test.each(['skip', 'run_once'])('runs within the grace period, with %s', (missed) => {
    const running = every('10 minutes', missed);
    const expected = { runs: true, next: due + 10 * minute };
    expect(decideDueRun(running, due, due)).toEqual(expected);
    expect(decideDueRun(running, due, due + graceMs)).toEqual(expected);
  });

  test('with skip, missed times are skipped, and times within the grace period run', () => {
    const now = due + 60 * minute;
    const decided = decideDueRun(every('10 minutes'), due, now);
    expect(decided).toEqual({ runs: false, next: now - 10 * minute });
    expect(decideDueRun(every('10 minutes'), decided.next ?? 0, now).runs).toBe(true);
  });

  test('with run_once, all missed times cause one run, and times within the grace period run as well', () => {
    const now = due + 60 * minute;
    expect(decideDueRun(every('10 minutes', 'run_once'), due, now)).toEqual({
      runs: true,
      next: now - 10 * minute,
    });
    const hourly = every('1 hour', 'run_once');
    const [eight, nine] = [since + 8 * 60 * minute, since + 9 * 60 * minute];
    expect(decideDueRun(hourly, eight, nine + 5 * minute)).toEqual({ runs: true, next: nine });
  });

  test('a single time that was missed has no next time', () => {
    const at = new Date(due).toISOString();
    const once = (missed: string) => ({ schedule: schedule.parse({ at, missed }), since });
    const late = due + graceMs + 1;
    expect(decideDueRun(once('skip'), due, late)).toEqual({ runs: false, next: undefined });
    expect(decideDueRun(once('run_once'), due, late)).toEqual({ runs: true, next: undefined });
  });

  test('a month without ticks is caught up in a few steps', () => {
    const now = due + 30 * 1_440 * minute;
    let [decisions, ran] = [0, 0];
    for (let at: number | undefined = due; at !== undefined && at <= now; decisions += 1) {
      const decision = decideDueRun(every('1 minute'), at, now);
      if (decision.runs) ran += 1;
      at = decision.next;
    }
    expect(ran).toBe(16);
    expect(decisions).toBe(17);
  });
});
