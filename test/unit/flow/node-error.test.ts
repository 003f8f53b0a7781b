// Error codes and the patterns that mean them.
import { expect, test } from 'vitest';
import { asNodeError, matches, NodeError } from '#lib/flow/node-error.ts';

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

test('a NodeError stays itself, anything else becomes internal and keeps its cause', () => {
  const error = new NodeError('http.404', 'Not there.');
  expect(asNodeError(error)).toBe(error);
  expect(asNodeError('text')).toMatchObject({ code: 'internal', cause: 'text' });
});
