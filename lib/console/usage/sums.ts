// Sums of the rows of usage for the picture, the table and the total. Pure.
import type { UsageRow } from '#lib/usage/usage.ts';

export type Measure = 'cost' | 'tokens' | 'calls';
export type By = 'day' | 'month';

export interface Figures {
  readonly calls: number;
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly written: number;
  /** In dollars. */
  readonly cost: number;
  readonly unpriced: number;
}

const zero: Figures = { calls: 0, input: 0, output: 0, cached: 0, written: 0, cost: 0, unpriced: 0 };

const toFigures = ({ calls, tokens, cost_estimate, unpriced_calls }: UsageRow): Figures => ({
  calls,
  input: tokens.input,
  output: tokens.output,
  cached: tokens.cached,
  written: tokens.cache_write,
  cost: cost_estimate,
  unpriced: unpriced_calls,
});

const add = (a: Figures, b: Figures): Figures => ({
  calls: a.calls + b.calls,
  input: a.input + b.input,
  output: a.output + b.output,
  cached: a.cached + b.cached,
  written: a.written + b.written,
  cost: a.cost + b.cost,
  unpriced: a.unpriced + b.unpriced,
});

export const sumAll = (rows: readonly UsageRow[]): Figures => rows.map(toFigures).reduce(add, zero);

export const measured = (measure: Measure, { cost, input, output, calls }: Figures): number =>
  ({ cost, tokens: input + output, calls })[measure];

/** A row of the table. */
export interface Line extends Figures {
  readonly id: string;
  readonly period?: string;
  readonly label?: string;
}

interface Split {
  readonly byPeriod: boolean;
  /** What the rows are grouped by, in words. */
  readonly labelOf?: ((row: UsageRow) => string) | undefined;
}

/** In the order of the rows. */
export function toLines(rows: readonly UsageRow[], { byPeriod, labelOf }: Split): readonly Line[] {
  const lines = new Map<string, Line>();
  for (const row of rows) {
    const names = { ...(byPeriod && { period: row.period }), ...(labelOf && { label: labelOf(row) }) };
    const id = JSON.stringify(names);
    lines.set(id, { ...add(lines.get(id) ?? zero, toFigures(row)), id, ...names });
  }
  return [...lines.values()];
}

const seriesMax = 5;

export interface Series {
  /** None for what is not split. */
  readonly label: string | undefined;
  readonly total: number;
}

export interface Bar {
  readonly period: string;
  readonly total: number;
  /** The parts of the bar, by series. */
  readonly parts: readonly number[];
}

export interface Bars {
  readonly series: readonly Series[];
  readonly bars: readonly Bar[];
  /** The highest bar. */
  readonly most: Bar | undefined;
}

interface BarOptions {
  readonly measure: Measure;
  readonly periods: readonly string[];
  readonly labelOf: ((row: UsageRow) => string) | undefined;
  readonly others: string;
}

/** The largest series, and one of all others. Periods without rows have empty bars. */
export function toBars(rows: readonly UsageRow[], { measure, periods, labelOf, others }: BarOptions): Bars {
  const largest = toLines(rows, { byPeriod: false, labelOf })
    .map((line) => ({ label: line.label, total: measured(measure, line) }))
    .toSorted((a, b) => b.total - a.total);
  const own = largest.slice(0, largest.length > seriesMax + 1 ? seriesMax : seriesMax + 1);
  const rest = largest.slice(own.length).reduce((sum, { total }) => sum + total, 0);
  const series = largest.length > own.length ? [...own, { label: others, total: rest }] : own;
  const places = new Map(own.map(({ label }, index) => [label, index]));
  const parts = new Map(periods.map((period) => [period, series.map(() => 0)]));
  for (const row of rows) {
    const place = places.get(labelOf?.(row)) ?? own.length;
    const found = parts.get(row.period);
    if (found) found[place] = (found[place] ?? 0) + measured(measure, toFigures(row));
  }
  const bars = [...parts].map(([period, values]) => ({
    period,
    parts: values,
    total: values.reduce((sum, value) => sum + value, 0),
  }));
  return { series, bars, most: bars.reduce<Bar | undefined>(higher, undefined) };
}

const higher = (a: Bar | undefined, b: Bar): Bar => (a && a.total >= b.total ? a : b);

const dayMs = 86_400_000;
/** More are not in one answer of the API. */
const periodsMax = 400;

/** All days or months of a range, both ends included. None where the range is not one. */
export function listPeriods(from: string, to: string, by: By): readonly string[] {
  const periods = new Set<string>();
  const end = Date.parse(to);
  for (let day = Date.parse(from); day <= end && periods.size < periodsMax; day += dayMs)
    periods.add(new Date(day).toISOString().slice(0, by === 'day' ? 10 : 7));
  return [...periods];
}

/** By day this month, by month the last twelve: both ends, as days in UTC. */
export function defaultRange(by: By, to: string): { readonly from: string; readonly to: string } {
  const [year = 0, month = 1] = to.split('-').map(Number);
  const first = new Date(Date.UTC(year, by === 'day' ? month - 1 : month - 12, 1));
  return { from: Number.isNaN(first.getTime()) ? to : first.toISOString().slice(0, 10), to };
}
