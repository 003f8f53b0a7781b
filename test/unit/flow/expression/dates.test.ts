// Dates where a text alone does not say which time it means: years of two digits, and hours of a day when clocks change.
import { expect, test } from 'vitest';
import { evaluate } from '../scripted.ts';

const scope = { input: { message: '', user_variables: {} }, state: {}, nodes: {}, env: {} };
const of = (source: string) => evaluate(`{{ ${source} }}`, scope);

test.each([
  ['21.11.26', '[D01].[M01].[Y01]', '2026-11-21'],
  ['21.11.69', '[D01].[M01].[Y01]', '2069-11-21'],
  ['21.11.70', '[D01].[M01].[Y01]', '1970-11-21'],
  ['21.11.99', '[D].[M].[Y,2-2]', '1999-11-21'],
  ['211100', '[D01][M01][Y01]', '2000-11-21'],
  ['991121', '[Y01][M01][D01]', '1999-11-21'],
  ['21.11.2026', '[D01].[M01].[Y01]', '2026-11-21'],
  ['21.11.0026', '[D01].[M01].[Y0001]', '0026-11-21'],
])('"%s" under the picture %s is %s', async (text, picture, date) => {
  expect(await of(`$dateParse("${text}", "${picture}")`)).toBe(`${date}T00:00:00.000Z`);
});

const local = '[Y0001]-[M01]-[D01] [H01]:[m01]';
test.each([
  ['an hour that comes twice is the earlier one', '2026-10-25 02:30', 'Europe/Berlin', '2026-10-25T00:30'],
  ['before it', '2026-10-25 01:59', 'Europe/Berlin', '2026-10-24T23:59'],
  ['after it', '2026-10-25 03:00', 'Europe/Berlin', '2026-10-25T02:00'],
  ['an hour that is skipped is an hour later', '2026-03-29 02:30', 'Europe/Berlin', '2026-03-29T01:30'],
  ['west of Greenwich, twice', '2026-11-01 01:30', 'America/New_York', '2026-11-01T05:30'],
  ['west of Greenwich, skipped', '2026-03-08 02:30', 'America/New_York', '2026-03-08T07:30'],
  ['half an hour, twice', '2026-04-05 01:45', 'Australia/Lord_Howe', '2026-04-04T14:45'],
  ['half an hour, skipped', '2026-10-04 02:15', 'Australia/Lord_Howe', '2026-10-03T15:45'],
  ['a day that is skipped', '2011-12-30 12:00', 'Pacific/Apia', '2011-12-30T22:00'],
])('%s: %s in %s', async (_what, text, zone, time) => {
  expect(await of(`$dateParse("${text}", "${local}", "${zone}")`)).toBe(`${time}:00.000Z`);
});

test('a day later keeps the clock, also from and into an hour that comes twice', async () => {
  const add = (time: string, days: number) => of(`$dateAdd("${time}", ${days}, "days", "Europe/Berlin")`);
  expect(await add('2026-10-24T02:30:00', 1)).toBe('2026-10-25T02:30:00.000+02:00');
  expect(await add('2026-10-26T02:30:00', -1)).toBe('2026-10-25T02:30:00.000+02:00');
});
