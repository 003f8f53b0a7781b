import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readText, readVariables, sendMessageParams } from '#lib/a2a/params.ts';

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const snakeObject = (value: object) =>
  Object.fromEntries(Object.entries(value).map(([name, member]) => [snake(name), member]));

const part = fc.oneof(
  fc.record({ text: fc.string() }),
  fc.record({ data: fc.jsonValue().filter((value) => !JSON.stringify(value).includes('__proto__')) }),
  fc.record({ raw: fc.base64String(), mediaType: fc.constant('text/plain'), filename: fc.string() }),
);
const message = fc.record(
  {
    messageId: fc.string({ minLength: 1, maxLength: 256 }),
    role: fc.constant('ROLE_USER'),
    parts: fc.array(part, { minLength: 1, maxLength: 5 }),
    contextId: fc.string({ minLength: 1, maxLength: 256 }),
    referenceTaskIds: fc.array(fc.string({ minLength: 1, maxLength: 9 }), { maxLength: 3 }),
  },
  { requiredKeys: ['messageId', 'role', 'parts'] },
);

describe('a message', () => {
  test('has the same meaning in camelCase and in snake_case', async () => {
    await fc.assert(
      fc.property(message, (given) => {
        const sent = JSON.parse(JSON.stringify(given));
        const camel = sendMessageParams.parse({ message: sent, configuration: { historyLength: 1 } });
        const parts = sent.parts.map(snakeObject);
        const other = sendMessageParams.parse({
          message: snakeObject({ ...sent, parts }),
          configuration: { history_length: 1 },
        });
        expect(other).toEqual(camel);
      }),
    );
  });

  test('is accepted or refused, whatever is sent in its place, and parsing never throws', async () => {
    await fc.assert(
      fc.property(fc.anything(), (anything) => {
        sendMessageParams.safeParse(anything);
        sendMessageParams.safeParse({ message: anything });
        sendMessageParams.safeParse({ message: { messageId: 'm', role: 'ROLE_USER', parts: [anything] } });
      }),
    );
  });

  test('gives its texts, one per line', () => {
    expect(readText([{ text: 'a' }, { data: 1 }, { text: '' }, { text: 'b' }])).toBe('a\n\nb');
    expect(readText([{ data: {} }])).toBe('');
  });

  test('gives its objects as variables: a later part overrides, and none reaches a prototype', () => {
    expect(
      readVariables([{ data: { a: 1, b: 1 } }, { data: [1] }, { data: 'x' }, { data: { b: 2 } }]),
    ).toEqual({ a: 1, b: 2 });
    const hostile = sendMessageParams.parse({
      message: JSON.parse(
        '{"messageId":"m","role":"ROLE_USER","parts":[{"data":{"__proto__":{"admin":true}}}]}',
      ),
    });
    const variables = readVariables(hostile.message.parts);
    expect(variables.admin).toBeUndefined();
    expect(Object.getPrototypeOf(variables)).toBe(Object.prototype);
  });
});
