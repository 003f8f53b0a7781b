import { type Part, Role } from '@a2a-js/sdk';
import { expect, test } from 'vitest';
import { tailor } from '#lib/a2a/output-modes.ts';
import { dataPart, partOf, textPart } from '#lib/a2a/parts.ts';

const pdf = partOf({ file: { url: 'https://a.example/', media_type: 'application/pdf' } });
const unknown = partOf({ file: { url: 'https://a.example/' } });
const text = textPart('a');
const data = dataPart({ a: 1 });

const message = (parts: Part[], role = Role.ROLE_AGENT) => ({
  messageId: 'm',
  taskId: '',
  contextId: '',
  role,
  parts,
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
});

test.each([
  ['no modes: all', [], [text, data, pdf], [text, data, pdf]],
  ['one type', ['text/plain'], [text, data, pdf], [text]],
  ['a family', ['application/*'], [text, data, pdf], [data, pdf]],
  ['anything', ['*/*'], [text, pdf], [text, pdf]],
  ['parameters and case of a mode', ['Text/Plain; charset=utf-8'], [text, data], [text]],
  ['a file of no type, which may be any', ['text/plain'], [text, unknown], [text, unknown]],
  ['JSON where only text is taken', ['text/plain'], [data], [textPart('{"a":1}')]],
  ['nothing that is taken: all, as parts must not be none', ['image/png'], [text, data], [text, data]],
  ['a file where only text is taken', ['text/plain'], [pdf], [pdf]],
])('%s', (_, modes, parts, expected) => {
  expect(tailor(modes).message(message(parts)).parts).toEqual(expected);
});

test('what the client has said itself stays as it was', () => {
  expect(tailor(['text/plain']).message(message([data], Role.ROLE_USER)).parts).toEqual([data]);
});
