import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ServiceError } from '#lib/errors.ts';
import { addMistake, boundedMistake, mistakesMax, newMistakeList } from '#lib/mistakes.ts';
import { truncate, truncateToJsonBytes } from '#lib/truncate.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 400 }).map((text) => text.repeat(4));

describe('a list of mistakes', () => {
  test('has the first twenty, and the number of all', () => {
    const list = newMistakeList();
    for (let n = 0; n < 100_000; n += 1) addMistake(list, ['body', n], 'is wrong');
    expect(list.total).toBe(100_000);
    expect(list.listed).toHaveLength(mistakesMax);
    expect(list.listed.at(-1)).toEqual({ pointer: '/body/19', detail: 'is wrong' });
  });

  test('of an error has the number only if not all are listed', () => {
    const errors = Array.from({ length: 50 }, (_, n) => ({ pointer: `/body/${n}`, detail: 'is wrong' }));
    expect(new ServiceError('validation_failed', { errors }).errorsTotal).toBe(50);
    expect(new ServiceError('validation_failed', { errors }).errors).toHaveLength(mistakesMax);
    expect(
      new ServiceError('validation_failed', { errors: errors.slice(0, 20) }).errorsTotal,
    ).toBeUndefined();
    expect(new ServiceError('internal')).toMatchObject({ errors: undefined, errorsTotal: undefined });
  });

  test('has a bounded size, whatever the names and texts in it', () => {
    fc.assert(
      fc.property(anyText, anyText, (pointer, detail) => {
        const bounded = boundedMistake({ pointer: pointer.repeat(50), detail: detail.repeat(50) });
        expect(Buffer.byteLength(JSON.stringify(bounded))).toBeLessThan(2_100);
        expect(bounded.pointer.isWellFormed() && bounded.detail.isWellFormed()).toBe(true);
      }),
    );
  });

  test('does not change short texts', () => {
    const mistake = { pointer: `/body/${'a/'.repeat(300)}`, detail: 'ä'.repeat(300) };
    expect(boundedMistake(mistake)).toEqual(mistake);
  });
});

describe('a truncated text', () => {
  test('is the beginning of the text, within its length, and never ends with a lone surrogate', () => {
    fc.assert(
      fc.property(anyText, fc.nat(500), (text, length) => {
        const cut = truncate(text, length);
        expect(text.startsWith(cut)).toBe(true);
        expect(cut.length).toBeLessThanOrEqual(length);
        expect(cut.length).toBeGreaterThanOrEqual(Math.min(text.length, length) - 1);
        expect(cut.isWellFormed()).toBe(true);
      }),
    );
  });

  test('has at most the given number of bytes as JSON', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 10, max: 2_000 }), (text, bytes) => {
        const cut = truncateToJsonBytes(text, bytes);
        expect(Buffer.byteLength(JSON.stringify(cut))).toBeLessThanOrEqual(bytes);
        expect(cut.isWellFormed()).toBe(true);
        expect(cut === text || cut.endsWith('…')).toBe(true);
      }),
    );
  });
});
