// When schedules come due, checked against calendars made by counting minutes. `SEED=… npx vitest run
// schedule` repeats a run.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ActiveSchedule, nextDue, nextRuns, schedule } from '#lib/schedule/schedule.ts';
import { seed } from '#test/support/seed.ts';

const minute = 60_000;
const ms = Date.parse;
const iso = (times: readonly number[]) => times.map((time) => new Date(time).toISOString().slice(0, 16));

const running = (some: object, since = '2027-01-01T00:00:30Z'): ActiveSchedule => ({
  schedule: schedule.parse(some),
  since: ms(since),
});
const runs = (some: object, after: string, count = 3) => iso(nextRuns(running(some), ms(after), count));

describe('a cron expression', () => {
  test('is read in its time zone', () => {
    const berlin = { cron: '0 9 * * 1-5', timezone: 'Europe/Berlin' };
    expect(runs(berlin, '2027-03-26T12:00:00Z')).toEqual([
      '2027-03-29T07:00',
      '2027-03-30T07:00',
      '2027-03-31T07:00',
    ]);
    expect(runs({ cron: '0 9 * * 1' }, '2027-03-26T12:00:00Z', 1)).toEqual(['2027-03-29T09:00']);
  });

  test.each([
    ['Europe/Berlin', '2027-03-27T12:00:00Z', ['2027-03-28T01:00', '2027-03-29T00:30']],
    ['America/New_York', '2027-03-13T12:00:00Z', ['2027-03-14T07:00', '2027-03-15T06:30']],
  ])('in %s a time that the clock skips is due right after the gap', (timezone, after, times) => {
    expect(runs({ cron: '30 2 * * *', timezone }, after, 2)).toEqual(times);
  });

  test.each([
    ['Europe/Berlin', '30 2 * * *', '2027-10-30T12:00:00Z', ['2027-10-31T00:30', '2027-11-01T01:30']],
    ['America/New_York', '30 1 * * *', '2027-11-06T12:00:00Z', ['2027-11-07T05:30', '2027-11-08T06:30']],
  ])('in %s a time that occurs twice is due at the first occurrence', (timezone, cron, after, times) => {
    expect(runs({ cron, timezone }, after, 2)).toEqual(times);
  });

  test.each([
    // Whatever the fields, and also on one day of a year.
    ['0,30 2 28 3 *', ['2027-03-28T01:00', '2028-03-28T00:00', '2028-03-28T00:30']],
    ['0,30 2 31 10 *', ['2027-10-31T00:00', '2027-10-31T00:30', '2028-10-31T01:00']],
    ['0 1-3 28 3 *', ['2027-03-28T00:00', '2027-03-28T01:00', '2028-03-27T23:00']],
    ['0 1-3 31 10 *', ['2027-10-30T23:00', '2027-10-31T00:00', '2027-10-31T02:00']],
    // With a wildcard it is due whenever the clock shows such a time.
    ['30 * 31 10 *', ['2027-10-30T22:30', '2027-10-30T23:30', '2027-10-31T00:30', '2027-10-31T01:30']],
    ['*/30 2 28 3 *', ['2028-03-28T00:00', '2028-03-28T00:30']],
    ['*/30 2 31 10 *', ['2027-10-31T00:00', '2027-10-31T00:30', '2027-10-31T01:00', '2027-10-31T01:30']],
  ])('%s in Berlin, where clocks change on those days, is due at %j', (cron, times) => {
    const berlin = { cron, timezone: 'Europe/Berlin' };
    expect(runs(berlin, '2027-01-01T12:00:00Z', times.length)).toEqual(times);
  });

  test('knows the ends of months, and leap years', () => {
    expect(runs({ cron: '0 0 31 * *' }, '2027-01-31T00:00:00Z')).toEqual([
      '2027-03-31T00:00',
      '2027-05-31T00:00',
      '2027-07-31T00:00',
    ]);
    expect(runs({ cron: '0 0 L * *' }, '2028-01-31T00:00:00Z', 2)).toEqual([
      '2028-02-29T00:00',
      '2028-03-31T00:00',
    ]);
    expect(runs({ cron: '0 0 29 2 *' }, '2027-01-01T00:00:00Z', 2)).toEqual([
      '2028-02-29T00:00',
      '2032-02-29T00:00',
    ]);
  });
});

describe('other schedules', () => {
  test('a rate counts from when the schedule was set, and its first run is one period later', () => {
    const every = running({ rate: '15 minutes' });
    expect(nextRuns(every, every.since, 2)).toEqual([every.since + 15 * minute, every.since + 30 * minute]);
    expect(nextDue(every, every.since + 15 * minute)).toBe(every.since + 30 * minute);
    expect(nextDue(every, every.since - minute)).toBe(every.since + 15 * minute);
  });

  test('one time is due once', () => {
    const once = running({ at: '2027-05-01T09:00:00+02:00' });
    expect(nextRuns(once, ms('2027-01-01T00:00:00Z'), 5)).toEqual([ms('2027-05-01T07:00:00Z')]);
    expect(nextDue(once, ms('2027-05-01T07:00:00Z'))).toBeUndefined();
  });
});

const zones = [
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'],
  // Half an hour; two hours; at midnight, when a day begins at one; back on the day before.
  ...['Australia/Lord_Howe', 'Antarctica/Troll', 'Africa/Cairo', 'America/Santiago', 'Pacific/Chatham'],
];
/** Days around those on which clocks change, the end of a year, and a leap day. */
const days = [
  '2027-03-12',
  '2027-03-26',
  '2027-04-02',
  '2027-04-03',
  '2027-04-29',
  '2027-09-04',
  '2027-09-25',
  '2027-10-01',
  '2027-10-28',
  '2027-10-30',
  '2027-11-05',
  '2027-12-30',
  '2028-02-27',
];

const start = fc
  .record({ day: fc.constantFrom(...days), minutes: fc.integer({ min: 0, max: 1_440 }) })
  .map(({ day, minutes }) => ms(`${day}T00:00:00Z`) + minutes * minute);

const formats = new Map(
  zones.map((zone) => [
    zone,
    new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      hourCycle: 'h23',
      ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' },
    }),
  ]),
);
const local = (time: number, zone: string) => {
  const parts = formats.get(zone)?.formatToParts(time) ?? [];
  const number = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  return {
    date: `${number('month')}/${number('day')}`,
    day: number('day'),
    hour: number('hour'),
    minute: number('minute'),
  };
};

const spans: Readonly<Record<string, (n: number) => boolean>> = {
  '*': () => true,
  '*/2': (n) => n % 2 === 0,
  '*/7': (n) => n % 7 === 0,
  '*/30': (n) => n % 30 === 0,
  '0,30': (n) => n === 0 || n === 30,
  '5-50/20': (n) => n === 5 || n === 25 || n === 45,
  '1-3': (n) => n >= 1 && n <= 3,
  '0,1,2': (n) => n <= 2,
};
const fits = (field: string, n: number) => (spans[field] ?? ((value) => value === Number(field)))(n);

/** The due minutes of a day and an hour, found by looking at the clock of each. */
function countedMinutes(from: number, zone: string, { minutes, hours }: { minutes: string; hours: string }) {
  const isRhythm = `${minutes}${hours}`.includes('*');
  const seen = new Set<string>();
  const due: number[] = [];
  const begin = Math.floor(from / minute) * minute - 300 * minute;
  let shown = local(begin, zone);
  for (let time = begin + minute; time <= from + 1_500 * minute; time += minute) {
    const clock = local(time, zone);
    const name = `${clock.date} ${clock.hour}:${clock.minute}`;
    const isFirst = !seen.has(name);
    seen.add(name);
    const isWanted = fits(minutes, clock.minute) && fits(hours, clock.hour);
    const skipped = skippedMinutes(shown, clock);
    const makesUp = skipped.some((each) => fits(minutes, each % 60) && fits(hours, Math.floor(each / 60)));
    const isDue = isRhythm ? isWanted : (isWanted && isFirst) || makesUp;
    if (isDue && time > from) due.push(time);
    shown = clock;
  }
  return due;
}

/** Minutes of the day between what two successive minutes show; a gap may begin at midnight. */
function skippedMinutes(one: ReturnType<typeof local>, other: ReturnType<typeof local>): number[] {
  const before = one.hour * 60 + one.minute;
  const after = other.hour * 60 + other.minute + (one.date === other.date ? 0 : 1_440);
  return Array.from({ length: Math.max(0, after - before - 1) }, (_, n) => (before + 1 + n) % 1_440);
}

describe(`for any start (SEED=${seed})`, () => {
  test('a cron expression is due exactly at the minutes whose local time matches, and once for each fixed time', () => {
    const field = fc.record({
      minutes: fc.constantFrom('*/7', '*/30', '0,30', '15', '5-50/20'),
      hours: fc.constantFrom('*/2', '1-3', '0,1,2', '2', '23', '*'),
      zone: fc.constantFrom(...zones),
    });
    fc.assert(
      fc.property(field, start, ({ minutes, hours, zone }, from) => {
        const expected = countedMinutes(from, zone, { minutes, hours });
        const cron = running({ cron: `${minutes} ${hours} * * *`, timezone: zone });
        expect(iso(nextRuns(cron, from, expected.length))).toEqual(iso(expected));
      }),
      { seed, numRuns: 40, endOnFailure: true },
    );
  });

  test('a fixed time is due once on every local day, at that time unless the clock change skips it', () => {
    const field = fc.record({
      hour: fc.integer({ min: 0, max: 23 }),
      at: fc.integer({ min: 0, max: 59 }),
      zone: fc.constantFrom(...zones),
    });
    fc.assert(
      fc.property(field, start, ({ hour, at, zone }, from) => {
        const daily = running({ cron: `${at} ${hour} * * *`, timezone: zone });
        const clocks = nextRuns(daily, from, 6).map((time) => local(time, zone));
        expect(new Set(clocks.map(({ date }) => date)).size).toBe(6);
        const moved = clocks.filter((clock) => clock.hour !== hour || clock.minute !== at);
        expect(moved.length).toBeLessThanOrEqual(1);
        for (const clock of moved) expect(clock.hour * 60 + clock.minute).toBeGreaterThan(hour * 60 + at);
      }),
      { seed, numRuns: 100, endOnFailure: true },
    );
  });

  test('due times increase, and are the same when computed from any earlier time', () => {
    const any = fc.oneof(
      fc.record({
        cron: fc.constantFrom('0 6 * * *', '*/5 * * * *', '0 0 L * *'),
        timezone: fc.constantFrom(...zones),
      }),
      fc.record({ rate: fc.constantFrom('1 minute', '7 minutes', '5 hours', '2 days') }),
    );
    fc.assert(
      fc.property(any, start, fc.integer({ min: 1, max: 600 }), (some, from, seconds) => {
        const [first = 0, second = 0] = nextRuns(running(some), from, 2);
        expect(first).toBeGreaterThan(from);
        expect(second).toBeGreaterThan(first);
        expect(nextDue(running(some), Math.max(from, first - seconds * 1_000))).toBe(first);
        expect(nextDue(running(some), first)).toBe(second);
      }),
      { seed, numRuns: 200, endOnFailure: true },
    );
  });
});
