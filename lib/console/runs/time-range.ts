// The part of a run that its timeline shows: how it is changed step by step, and how it is written in the address. Pure.
import type { Stretch, TimeAxis } from './time-axis.ts';

/** Milliseconds since the first start of a node, so that an address fits the run as long as it continues. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

export type RangeStep = 'in' | 'out' | 'earlier' | 'later' | 'whole';

interface Steps {
  readonly span: Stretch;
  readonly whole: TimeAxis;
  readonly range: TimeRange | undefined;
  /** What stays in sight while the range gets shorter, such as the chosen execution. */
  readonly focus?: Stretch | undefined;
}

/** A range is never shorter than this, in milliseconds, which is the precision of the times of a run. */
const rangeMin = 5;

/**
 * The range after a step, and none if that is the whole run. Steps are shares of the width of the whole run, on which
 * long waits are collapsed: it takes one step over a night without work, as it does over a second of it.
 */
export function changeRange(step: RangeStep, { span, whole, range, focus }: Steps): TimeRange | undefined {
  if (step === 'whole') return undefined;
  const [from, to] = range
    ? [whole.position(span.from + range.from), whole.position(span.from + range.to)]
    : [0, 1];
  const width = (to - from) * (step === 'in' ? 0.5 : step === 'out' ? 2 : 1);
  const middle = (step === 'in' && findMiddle({ span, whole, range, focus })) || (from + to) / 2;
  const by = step === 'earlier' ? -width / 2 : step === 'later' ? width / 2 : 0;
  const start = Math.min(Math.max(0, middle + by - width / 2), Math.max(0, 1 - width));
  const next = {
    from: Math.floor(whole.timeAt(start) - span.from),
    to: Math.ceil(whole.timeAt(Math.min(1, start + width)) - span.from),
  };
  if (next.from <= 0 && next.to >= span.to - span.from) return undefined;
  return next.to - next.from < rangeMin ? range : next;
}

/** The middle of what is chosen, if it is in sight. */
function findMiddle({ span, whole, range, focus }: Steps): number | undefined {
  const shown = range ? { from: span.from + range.from, to: span.from + range.to } : span;
  if (!focus || focus.to < shown.from || focus.from > shown.to) return undefined;
  const from = whole.position(Math.max(focus.from, shown.from));
  return (from + whole.position(Math.min(focus.to, shown.to))) / 2;
}

/** Which steps change nothing. */
export const isUseless = (step: RangeStep, steps: Steps): boolean => {
  const next = changeRange(step, steps);
  return next?.from === steps.range?.from && next?.to === steps.range?.to;
};

/** Such as `1200-3400`; what is no range, as somebody may have written it, is none. */
export function parseRange(text: string | undefined): TimeRange | undefined {
  const [, from, to] = /^(\d{1,15})-(\d{1,15})$/.exec(text ?? '') ?? [];
  const range = { from: Number(from), to: Number(to) };
  return range.to - range.from >= rangeMin ? range : undefined;
}

export const formatRange = (range: TimeRange | undefined): string =>
  range ? `${range.from}-${range.to}` : '';
