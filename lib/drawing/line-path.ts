// Writes a line of the layout as an SVG path with rounded corners.
import type { Point } from './place-graph.ts';

const radius = 7;

/** Formats a coordinate with a precision of a tenth of a pixel. */
export const n = (value: number): string => String(Math.round(value * 10) / 10);

export function linePath(points: readonly Point[]): string {
  const [first, ...rest] = points;
  const last = rest.at(-1);
  if (!first || !last) return '';
  const corners = rest.slice(0, -1).map((corner, index) => {
    const before = index === 0 ? first : middle(points[index] ?? corner, corner);
    const next = rest[index + 1] ?? last;
    const after = next === last ? last : middle(corner, next);
    return `L${at(towards(corner, before))}Q${at(corner)} ${at(towards(corner, after))}`;
  });
  return `M${at(first)}${corners.join('')}L${at(last)}`;
}

const at = ({ x, y }: Point) => `${n(x)} ${n(y)}`;

const middle = (a: Point, b: Point): Point => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });

/**
 * The point where the arc of a corner begins or ends. It is never beyond `end`, so that two corners can share
 * a short segment.
 */
function towards(corner: Point, end: Point): Point {
  const length = Math.hypot(end.x - corner.x, end.y - corner.y);
  const part = length > radius ? radius / length : 1;
  return { x: corner.x + (end.x - corner.x) * part, y: corner.y + (end.y - corner.y) * part };
}
