// A secret shows nowhere but where it is revealed.
import { format, inspect } from 'node:util';
import { expect, test } from 'vitest';
import { secret } from '#lib/secret.ts';

const hidden = secret('hunter2');

test('reveal returns the text', () => {
  expect(hidden.reveal()).toBe('hunter2');
});

test.each([
  ['a template', `${hidden}`, '[secret]'],
  ['JSON', JSON.stringify({ key: hidden }), '{"key":"[secret]"}'],
  ['inspect', inspect({ key: hidden }, { depth: 9, showHidden: true }), '{ key: [secret] }'],
  ['a log line', format('%s %o %j', hidden, [hidden], hidden), expect.not.stringContaining('hunter2')],
  ['a copy', inspect({ ...hidden }), expect.not.stringContaining('hunter2')],
])('%s does not contain the secret', (_what, text, expected) => {
  expect(text).toEqual(expected);
  expect(text).not.toContain('hunter2');
});
