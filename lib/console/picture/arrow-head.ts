// The head of an arrow at the end of a line. A path of its own, because references to a marker are read against the base
// of the document in some browsers. Pure.
import type { Point } from '#lib/drawing/place-graph.ts';

const [length, halfWidth] = [9, 4.5] as const;

/** Undefined for a line without a direction. */
export function arrowHead(points: readonly Point[]): string | undefined {
  const [before, end] = points.slice(-2);
  if (!before || !end) return undefined;
  const distance = Math.hypot(end.x - before.x, end.y - before.y);
  if (distance === 0) return undefined;
  const [dx, dy] = [(end.x - before.x) / distance, (end.y - before.y) / distance];
  const [baseX, baseY] = [end.x - dx * length, end.y - dy * length];
  const side = (sign: 1 | -1) =>
    `${round(baseX - sign * dy * halfWidth)} ${round(baseY + sign * dx * halfWidth)}`;
  return `M${side(1)}L${round(end.x)} ${round(end.y)}L${side(-1)}z`;
}

const round = (value: number): number => Math.round(value * 10) / 10;
