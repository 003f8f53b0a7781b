import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { createEncryptor, decrypt, type EncryptionContext, encrypt } from '#lib/envelope.ts';
import { flowKeyId, type LocalKms, startLocalKms } from '#test/support/local-kms.ts';

let kms: LocalKms;
beforeAll(async () => {
  kms = await startLocalKms();
});

const context: EncryptionContext = {
  tenant: 'unit',
  orgid: 'org_a',
  registryid: 'reg_1',
  version: '1',
  purpose: 'flow',
};

describe('an envelope', () => {
  test('is decrypted to the text that was encrypted', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 2_000 }), async (text) => {
        const wellFormed = text.toWellFormed();
        expect(await decrypt(await encrypt(wellFormed, context), context)).toBe(wellFormed);
      }),
      { numRuns: 30 },
    );
  });

  test('has no readable content, and is different each time', async () => {
    const [one, two] = await Promise.all([
      encrypt('a very secret flow', context),
      encrypt('a very secret flow', context),
    ]);
    expect(Buffer.from(one).includes('secret')).toBe(false);
    expect(Buffer.from(one).equals(Buffer.from(two))).toBe(false);
  });

  test('holds several megabytes, compressed', async () => {
    const text = JSON.stringify(
      Array.from({ length: 100_000 }, (_, n) => ({ node: n, text: 'again and again' })),
    );
    const sealed = await encrypt(text, context);
    expect(text.length).toBeGreaterThan(3_000_000);
    expect(sealed.length).toBeLessThan(text.length / 5);
    expect(await decrypt(sealed, context)).toBe(text);
  });

  test.each([0, 1, 16_384, 16_385])('of %i bytes is decrypted to its text', async (length) => {
    const text = 'x'.repeat(length);
    expect(await decrypt(await encrypt(text, context), context)).toBe(text);
  });

  test.each(Object.keys(context))('is not decrypted with another %s', async (name) => {
    const sealed = await encrypt('text', context);
    await expect(decrypt(sealed, { ...context, [name]: 'other' })).rejects.toMatchObject({
      code: 'payload_unreadable',
    });
    const { [name]: _, ...less } = context;
    await expect(decrypt(sealed, less)).rejects.toMatchObject({ code: 'payload_unreadable' });
    await expect(decrypt(sealed, { ...context, more: '1' })).rejects.toMatchObject({
      code: 'payload_unreadable',
    });
  });

  test('is not decrypted after any byte has changed', async () => {
    const sealed = await encrypt('text', context);
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Uint8Array.from(sealed, (byte, n) => (n === at ? byte ^ 1 : byte));
      await expect(decrypt(changed, context), `byte ${at}`).rejects.toMatchObject({
        code: 'payload_unreadable',
      });
    }
  });

  test('is not decrypted when it is truncated to any length', async () => {
    const sealed = await encrypt('text', context);
    for (const length of [0, 1, 5, 6, 7, 50, sealed.length - 17, sealed.length - 1]) {
      await expect(decrypt(sealed.subarray(0, length), context)).rejects.toMatchObject({
        code: 'payload_unreadable',
      });
    }
  });

  test('is not decrypted while its key is disabled, and the error does not reveal the reason', async () => {
    const sealed = await encrypt('text', context);
    kms.disable(flowKeyId);
    const failed = await decrypt(sealed, context).catch((error: unknown) => error);
    kms.enable(flowKeyId);
    expect(failed).toMatchObject({ code: 'payload_unreadable', detail: undefined });
    expect(await decrypt(sealed, context)).toBe('text');
  });
});

test('one data key encrypts many messages, each in its own envelope', async () => {
  const sealMore = createEncryptor(context);
  const sealed = await Promise.all(['one', 'two', 'two'].map(sealMore));
  expect(await Promise.all(sealed.map((each) => decrypt(each, context)))).toEqual(['one', 'two', 'two']);
  expect(new Set(sealed.map((each) => Buffer.from(each).toString('base64'))).size).toBe(3);
});
