// Error codes and the patterns that match them.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limits } from '#lib/flow/format/limits.ts';
import { asNodeError, matches, NodeError } from '#lib/flow/format/node-error.ts';

test.each([
  ['http.404', 'http.404', true],
  ['http.404', 'http.4xx', true],
  ['http.404', 'http.5xx', false],
  ['http.404', 'http.*', true],
  ['http.404', '*', true],
  ['http.network', 'http.5xx', false],
  ['http.network', 'http.*', true],
  ['httpx.404', 'http.*', false],
  ['timeout', 'timeout', true],
  ['timeout', 'http.*', false],
  ['fail.too_old', 'fail.*', true],
  ['model.rate_limited', 'model.rate', false],
  ['limit.steps', '*', false],
  ['limit.steps', 'limit.steps', false],
  ['canceled', '*', false],
])('the code %s and the pattern %s: %s', (code, pattern, expected) => {
  expect(matches(code, pattern)).toBe(expected);
});

test('a NodeError is unchanged; any other error becomes `internal` with the error as its cause', () => {
  const error = new NodeError('http.404', 'Not there.');
  expect(asNodeError(error)).toBe(error);
  expect(asNodeError('text')).toMatchObject({ code: 'internal', cause: 'text' });
});

test('a message above its limit is truncated after a whole character', () => {
  const max = limits.errorBytes;
  const letter = fc.constantFrom('a', 'ä', '漢', '😀', '\uD800');
  const text = fc.tuple(fc.constantFrom('', 'a', 'ab', 'abc'), letter, fc.nat({ max: 2 * max }));
  fc.assert(
    fc.property(text, ([before, one, count]) => {
      const given = `${before}${one.repeat(count)}`;
      const { message } = new NodeError('fail', given);
      const isWhole = Buffer.byteLength(given) <= max;
      expect(message.isWellFormed()).toBe(true);
      expect(Buffer.byteLength(message)).toBeLessThanOrEqual(max);
      expect(Buffer.byteLength(message)).toBeGreaterThan(isWhole ? -1 : max - 8);
      expect(isWhole ? message : message.slice(0, -1)).toBe(
        isWhole ? given.toWellFormed() : given.toWellFormed().slice(0, message.length - 1),
      );
    }),
  );
});
