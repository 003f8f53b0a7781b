import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeAxis } from '#lib/console/runs/time-axis.ts';
import { changeRange, formatRange, parseRange, type TimeRange } from '#lib/console/runs/time-range.ts';

const hour = 3_600_000;
const zero = Date.UTC(2027, 0, 1);
const span = { from: zero, to: zero + 1_000 };
const whole = makeAxis(span, [span]);
/** A second of work, an hour of waiting, and a second of work. */
const longSpan = { from: zero, to: zero + hour + 2_000 };
const waiting = makeAxis(longSpan, [
  { from: zero, to: zero + 1_000 },
  { from: zero + hour + 1_000, to: zero + hour + 2_000 },
]);

describe('a range of a timeline', () => {
  test('gets half as long around its middle, and twice as long up to the whole run', () => {
    const half = changeRange('in', { span, whole, range: undefined });
    expect(half).toEqual({ from: 250, to: 750 });
    expect(changeRange('in', { span, whole, range: half })).toEqual({ from: 375, to: 625 });
    expect(changeRange('out', { span, whole, range: half })).toBeUndefined();
    expect(changeRange('whole', { span, whole, range: half })).toBeUndefined();
  });

  test('keeps what is chosen in sight', () => {
    const focus = { from: zero + 900, to: zero + 1_000 };
    const half = changeRange('in', { span, whole, range: undefined, focus });
    expect(half).toEqual({ from: 500, to: 1_000 });
    const elsewhere = { from: zero, to: zero + 10 };
    expect(changeRange('in', { span, whole, range: half, focus: elsewhere })).toEqual({ from: 625, to: 875 });
  });

  test('moves by half of its length, and stops at the ends', () => {
    const range = { from: 400, to: 600 };
    expect(changeRange('later', { span, whole, range })).toEqual({ from: 500, to: 700 });
    expect(changeRange('earlier', { span, whole, range })).toEqual({ from: 300, to: 500 });
    expect(changeRange('earlier', { span, whole, range: { from: 50, to: 250 } })).toEqual({
      from: 0,
      to: 200,
    });
    expect(changeRange('later', { span, whole, range: { from: 800, to: 1_000 } })).toEqual({
      from: 800,
      to: 1_000,
    });
  });

  test('passes a collapsed wait as it passes work', () => {
    const range = { from: 0, to: 1_000 };
    const after = changeRange('later', {
      span: longSpan,
      whole: waiting,
      range: changeRange('later', { span: longSpan, whole: waiting, range }),
    });
    expect(after?.to).toBeGreaterThan(hour + 1_000);
  });

  test('is never shorter than the precision of times', () => {
    let range: TimeRange | undefined;
    for (let n = 0; n < 30; n += 1) range = changeRange('in', { span, whole, range });
    expect(range && range.to - range.from).toBeGreaterThanOrEqual(5);
  });

  test('survives the address, where what is no range is none', () => {
    expect(parseRange(formatRange({ from: 250, to: 750 }))).toEqual({ from: 250, to: 750 });
    for (const text of [undefined, '', '5', '7-3', '1-2', '-5-9', '1e3-2e3', '0-1x'])
      expect(parseRange(text)).toBeUndefined();
  });

  test('whatever is pressed, it stays within the run, and zooming out ends at the whole run', () => {
    const steps = fc.array(fc.constantFrom('in', 'out', 'earlier', 'later'), { maxLength: 40 });
    fc.assert(
      fc.property(
        steps,
        fc.constantFrom([span, whole] as const, [longSpan, waiting] as const),
        (pressed, [all, axis]) => {
          let range: TimeRange | undefined;
          for (const step of pressed) {
            range = changeRange(step, { span: all, whole: axis, range });
            if (!range) continue;
            expect(range.from).toBeGreaterThanOrEqual(0);
            expect(range.to).toBeLessThanOrEqual(all.to - all.from);
            expect(range.from).toBeLessThan(range.to);
          }
          for (let n = 0; n < 12; n += 1) range = changeRange('out', { span: all, whole: axis, range });
          expect(range).toBeUndefined();
        },
      ),
    );
  });
});

test('an axis finds the time at each of its places', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: hour + 2_000 }), (ms) => {
      expect(Math.abs(waiting.timeAt(waiting.position(zero + ms)) - zero - ms)).toBeLessThan(1);
    }),
  );
});
