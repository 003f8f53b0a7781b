// The axis of a timeline: stretches in which nothing happened are collapsed, so that the rest can be seen. Pure.

export interface Stretch {
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
}

/** A collapsed stretch: where it is, as shares of the width, and how long it really was. */
export interface Gap {
  readonly from: number;
  readonly width: number;
  readonly ms: number;
}

export interface TimeAxis {
  /** A share of the width, 0 to 1. */
  readonly position: (time: number) => number;
  /** The time at a share of the width. */
  readonly timeAt: (share: number) => number;
  readonly gaps: readonly Gap[];
}

/** What is longer than this share of the whole is collapsed. */
const idleShareMax = 0.1;
const gapWidth = 0.05;

export function makeAxis(span: Stretch, busy: readonly Stretch[]): TimeAxis {
  const idle = findIdle(span, busy).filter(
    ({ from, to }) => to - from > idleShareMax * (span.to - span.from),
  );
  const idleMs = idle.reduce((sum, { from, to }) => sum + to - from, 0);
  const scale = (1 - idle.length * gapWidth) / Math.max(1, span.to - span.from - idleMs);
  const position = (time: number): number => {
    const shortened = idle.reduce((sum, { from, to }) => {
      const passed = Math.min(Math.max(time - from, 0), to - from);
      return sum + (passed / (to - from)) * gapWidth - passed * scale;
    }, 0);
    return Math.min(1, Math.max(0, (time - span.from) * scale + shortened));
  };
  const ends = [span.from, ...idle.flatMap(({ from, to }) => [from, to]), span.to];
  const timeAt = (share: number): number => {
    const end = ends.findIndex((time, n) => n > 0 && position(time) >= share);
    const [from = span.from, to = span.to] = end < 0 ? ends.slice(-1) : ends.slice(end - 1, end + 1);
    const width = position(to) - position(from);
    return width > 0 ? from + ((share - position(from)) / width) * (to - from) : from;
  };
  const gaps = idle.map(({ from, to }) => ({ from: position(from), width: gapWidth, ms: to - from }));
  return { position, timeAt, gaps };
}

/** The parts of the span in which nothing is busy. */
function findIdle(span: Stretch, busy: readonly Stretch[]): Stretch[] {
  const idle: Stretch[] = [];
  let end = span.from;
  for (const { from, to } of busy.toSorted((a, b) => a.from - b.from)) {
    if (from > end) idle.push({ from: end, to: from });
    end = Math.max(end, to);
  }
  return end < span.to ? [...idle, { from: end, to: span.to }] : idle;
}

/** What is left of a stretch without the waits in it. */
export const subtract = (stretch: Stretch, waits: readonly Stretch[]): readonly Stretch[] =>
  findIdle(stretch, clip(waits, stretch));

/** The parts of stretches that are within a span. */
export const clip = (stretches: readonly Stretch[], span: Stretch): readonly Stretch[] =>
  stretches
    .map(({ from, to }) => ({ from: Math.max(from, span.from), to: Math.min(to, span.to) }))
    .filter(({ from, to }) => from <= to);
