import { type Part, Role } from '@a2a-js/sdk';
import { expect, test } from 'vitest';
import { createOutputFilter } from '#lib/a2a/output-modes.ts';
import { dataPart, textPart, toPart } from '#lib/a2a/parts.ts';

const pdf = toPart({ file: { url: 'https://a.example/', media_type: 'application/pdf' } });
const unknown = toPart({ file: { url: 'https://a.example/' } });
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
  ['no modes: all parts', [], [text, data, pdf], [text, data, pdf]],
  ['one type', ['text/plain'], [text, data, pdf], [text]],
  ['a family', ['application/*'], [text, data, pdf], [data, pdf]],
  ['anything', ['*/*'], [text, pdf], [text, pdf]],
  ['parameters and case of a mode', ['Text/Plain; charset=utf-8'], [text, data], [text]],
  ['a file without a type, which may have any', ['text/plain'], [text, unknown], [text, unknown]],
  ['JSON where only text is accepted', ['text/plain'], [data], [textPart('{"a":1}')]],
  [
    'no part is accepted: all are kept, as parts must not be empty',
    ['image/png'],
    [text, data],
    [text, data],
  ],
  ['a file where only text is accepted', ['text/plain'], [pdf], [pdf]],
])('%s', (_, modes, parts, expected) => {
  expect(createOutputFilter(modes).message(message(parts)).parts).toEqual(expected);
});

test('the parts of a message of the client itself are not changed', () => {
  expect(createOutputFilter(['text/plain']).message(message([data], Role.ROLE_USER)).parts).toEqual([data]);
});
