// `$round` as JSONata has it, without its two faults: for many digits its steps pass the largest number, and a
// fraction of a digit gives none, both of which would silently become null.
import { callError } from './own-function.ts';

export function round(value: unknown, digits: unknown): unknown {
  if (typeof value !== 'number') return undefined;
  const places = typeof digits === 'number' ? digits : 0;
  if (!Number.isInteger(places)) throw callError('round', 'expected a whole number of digits');
  const moved = movePoint(value, places);
  // A number that passes the largest one has no digits after these. `1 / 0` stays as it is.
  if (!Number.isFinite(moved)) return value;
  const rounded = movePoint(roundHalfToEven(moved), -places);
  if (!Number.isFinite(rounded)) throw callError('round', `expected a number up to ${Number.MAX_VALUE}`);
  // JSON has no negative zero.
  return rounded === 0 ? 0 : rounded;
}

function roundHalfToEven(value: number): number {
  const nearest = Math.round(value);
  return nearest - value === 0.5 && nearest % 2 !== 0 ? nearest - 1 : nearest;
}

/** As text, since a product with a power of ten is not exact. */
function movePoint(value: number, places: number): number {
  const [mantissa, exponent = '0'] = String(value).split('e');
  return Number(`${mantissa}e${Number(exponent) + places}`);
}
