// Times, durations and numbers as people read them.
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const full = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'narrow' });
const count = new Intl.NumberFormat('en');

export const formatCount = (value: number): string => count.format(value);
export const formatClock = (time: string): string => clock.format(new Date(time));
const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });

export const formatDay = (time: string): string => date.format(new Date(time));
export const formatFull = (time: string): string => full.format(new Date(time));

const steps = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
] as const;

/** Such as `5 min ago`; the day for what is older than one. */
export function formatAgo(time: string, now: number): string {
  let value = Math.max(0, (now - Date.parse(time)) / 1_000);
  if (value < 5) return 'just now';
  for (const [unit, size] of steps) {
    if (value < size) return relative.format(-Math.floor(value), unit);
    value /= size;
  }
  return day.format(new Date(time));
}

/** Such as `640 ms`, `4.2 s`, `3 min 20 s`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.floor((ms % 60_000) / 1_000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Amounts of a cent and less keep their first digits. */
export const formatCost = (value: number, currency: string): string =>
  new Intl.NumberFormat('en', { style: 'currency', currency, maximumSignificantDigits: 3 }).format(value);

const short = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });

/** Such as `9,480`, `12.3K`, `4.56M`. */
export const formatShort = (value: number): string =>
  value < 10_000 ? formatCount(value) : short.format(value);

/** With cents, since people compare it with a bill; amounts below a dollar keep their first digits. */
export const formatAmount = (value: number, currency: string): string =>
  value !== 0 && value < 1
    ? formatCost(value, currency)
    : new Intl.NumberFormat('en', { style: 'currency', currency }).format(value);

const utcDay = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});
const utcMonth = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' });

/** A day (`2026-11-28`) or a month (`2026-11`) in UTC, such as `28 Nov 2026`. */
export const formatPeriod = (period: string): string =>
  (period.length > 7 ? utcDay : utcMonth).format(new Date(period));
