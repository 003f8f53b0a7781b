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

  const parsePart = (given: object) =>
    sendMessageParams.parse({ message: { messageId: 'm', role: 'ROLE_USER', parts: [given] } }).message
      .parts[0];

  test('may have null in place of each member that is absent', () => {
    const absent = {
      contextId: null,
      taskId: null,
      metadata: null,
      extensions: null,
      referenceTaskIds: null,
    };
    const given = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x', data: null, raw: null }] };
    const configuration = { historyLength: null, acceptedOutputModes: null };
    expect(
      sendMessageParams.parse({ message: { ...given, ...absent }, configuration, metadata: null }),
    ).toEqual({
      message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] },
      configuration: {},
    });
    expect(sendMessageParams.parse({ message: given, configuration: null })).not.toHaveProperty(
      'configuration',
    );
    expect(sendMessageParams.safeParse({ message: { ...given, parts: null } }).success).toBe(false);
  });

  test('may have a context and a task that are empty, which are absent', () => {
    const given = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] };
    const { message } = sendMessageParams.parse({ message: { ...given, contextId: '', task_id: '' } });
    expect([message.contextId, message.taskId]).toEqual([undefined, undefined]);
    expect(sendMessageParams.safeParse({ message: { ...given, messageId: '' } }).success).toBe(false);
  });

  test('may have a part whose data is null', () => {
    expect(parsePart({ data: null, mediaType: null })).toEqual({ data: null });
    expect(() => parsePart({ text: null })).toThrow('exactly one of');
  });

  test('may have bytes in either alphabet of base64, with padding or without', async () => {
    await fc.assert(
      fc.property(fc.uint8Array(), (given) => {
        const standard = Buffer.from(given).toString('base64');
        const forms = [standard, standard.replaceAll('=', ''), Buffer.from(given).toString('base64url')];
        for (const raw of forms) expect(parsePart({ raw })).toEqual({ raw: standard });
      }),
    );
    for (const raw of ['A', 'AAAAA', 'AA=A', 'AAA====', 'ä', 'AA AA'])
      expect(() => parsePart({ raw }), raw).toThrow('must be base64');
  });

  test('may be sent with a history length as a string', () => {
    const given = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] };
    const parse = (historyLength: unknown) =>
      sendMessageParams.safeParse({ message: given, configuration: { historyLength } }).data?.configuration;
    for (const given of ['7', '7.0', '70e-1', '0.7E1', 7.0])
      expect(parse(given)).toEqual({ historyLength: 7 });
    for (const wrong of ['', '-1', '1.5', 'one', '2147483648', 2 ** 31, true])
      expect(parse(wrong)).toBeUndefined();
  });

  test('returns its texts, one per line', () => {
    expect(readText([{ text: 'a' }, { data: 1 }, { text: '' }, { text: 'b' }])).toBe('a\n\nb');
    expect(readText([{ data: {} }])).toBe('');
  });

  test('returns its objects as variables: later parts override earlier ones, and none changes a prototype', () => {
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

test.each(['taskId', 'task_id', 'contextId', 'context_id'])(
  '%s beside the message is refused, because the message would start another task',
  (name) => {
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'Hi' }] };
    const issue = { path: [name.replace(/_i/, 'I')], message: 'belongs in params.message' };
    expect(sendMessageParams.safeParse({ message, [name]: 'x' }).error?.issues).toMatchObject([issue]);
    expect(sendMessageParams.safeParse({ message, other: 'x' }).success).toBe(true);
  },
);
