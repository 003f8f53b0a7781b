// A KMS client stays with the address that it was first used with, so the modules here are of this file
// alone.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { EncryptionContext } from '#lib/envelope.ts';
import { type AwsProxy, startAwsProxy } from '#test/support/aws-proxy.ts';
import { startLocalKms } from '#test/support/local-kms.ts';

let proxy: AwsProxy;
let isDown = false;
let createDataKeyCache: typeof import('#lib/data-key-cache.ts').createDataKeyCache;
let decrypt: typeof import('#lib/envelope.ts').decrypt;
beforeAll(async () => {
  vi.resetModules();
  await startLocalKms();
  const failure = { status: 500, error: { __type: 'KMSInternalException', message: 'No.' } };
  proxy = await startAwsProxy(process.env.AWS_ENDPOINT_URL_KMS ?? '', () => (isDown ? failure : 'pass'));
  process.env.AWS_ENDPOINT_URL_KMS = proxy.url;
  ({ createDataKeyCache } = await import('#lib/data-key-cache.ts'));
  ({ decrypt } = await import('#lib/envelope.ts'));
});
afterAll(async () => {
  await proxy.close();
  vi.resetModules();
});

/** The KMS calls that something takes. */
async function recordCalls(act: () => Promise<unknown>): Promise<string[]> {
  const before = proxy.calls.length;
  await act();
  return proxy.calls.slice(before);
}

const minute = 60_000;
const context: EncryptionContext = {
  tenant: 'unit',
  orgid: 'org',
  workspaceid: 'ws',
  purpose: 'caller-data',
};
const input = { pk: 'RUN#1', sk: 'HEAD', attribute: 'input' };

/** A cache with a clock that only the test moves. */
function cacheAt() {
  const clock = { now: 1_000 };
  return { clock, cache: createDataKeyCache({ now: () => clock.now, messagesMax: 10 }) };
}

describe('one data key', () => {
  test('encrypts concurrent and later payloads, and decrypts them without KMS', async () => {
    const { cache } = cacheAt();
    const calls = await recordCalls(async () => {
      const made = await Promise.all(['a', 'b', 'c'].map((text) => cache.encrypt(text, context, input)));
      made.push(await cache.encrypt('d', context, input));
      const texts = await Promise.all(made.map((bytes) => cache.decrypt(bytes, context, input)));
      expect(texts).toEqual(['a', 'b', 'c', 'd']);
    });
    expect(calls).toEqual(['GenerateDataKey']);
  });

  test('encrypts at most its maximum number of messages', async () => {
    const { cache } = cacheAt();
    const encrypt = (count: number) =>
      Promise.all(Array.from({ length: count }, () => cache.encrypt('x', context, input)));
    expect(await recordCalls(() => encrypt(10))).toEqual(['GenerateDataKey']);
    expect(await recordCalls(() => encrypt(10))).toEqual(['GenerateDataKey']);
  });

  test('is kept for five minutes, whether it is used or not', async () => {
    const { cache, clock } = cacheAt();
    const bytes = await cache.encrypt('x', context, input);
    clock.now += 5 * minute - 1;
    const again = () => cache.encrypt('x', context, input);
    const read = () => cache.decrypt(bytes, context, input);
    expect(await recordCalls(again)).toEqual([]);
    expect(await recordCalls(read)).toEqual([]);
    clock.now += 2;
    expect(await recordCalls(again)).toEqual(['GenerateDataKey']);
    expect(await recordCalls(read)).toEqual(['Decrypt']);
  });

  test('encrypts for one workspace only', async () => {
    const { cache } = cacheAt();
    const other = { ...context, workspaceid: 'other' };
    const calls = await recordCalls(async () => {
      await cache.encrypt('x', context, input);
      await cache.encrypt('x', other, input);
    });
    expect(calls).toEqual(['GenerateDataKey', 'GenerateDataKey']);
  });
});

describe('a ciphertext', () => {
  test('is decrypted by a process that does not have its key, with one KMS call for all of the same key', async () => {
    const { cache } = cacheAt();
    const made = await Promise.all(['a', 'b'].map((text) => cache.encrypt(text, context, input)));
    const { cache: elsewhere } = cacheAt();
    const calls = await recordCalls(async () => {
      const texts = await Promise.all(made.map((bytes) => elsewhere.decrypt(bytes, context, input)));
      expect(texts).toEqual(['a', 'b']);
    });
    expect(calls).toEqual(['Decrypt']);
  });

  test.each([
    ['another run', context, { ...input, pk: 'RUN#2' }],
    ['another attribute', context, { ...input, attribute: 'callback_url' }],
    ['another workspace', { ...context, workspaceid: 'other' }, input],
    ['another tenant', { ...context, tenant: 'other' }, input],
  ])('is not decrypted in %s, whether or not its key is cached', async (_, there, binding) => {
    const { cache } = cacheAt();
    const bytes = await cache.encrypt('x', context, input);
    for (const reader of [cache, cacheAt().cache])
      await expect(reader.decrypt(bytes, there, binding)).rejects.toMatchObject({
        code: 'payload_unreadable',
      });
    await expect(decrypt(bytes, context)).rejects.toMatchObject({ code: 'payload_unreadable' });
  });

  test('is not decrypted once its header, commitment, text or tag is changed, although its key is cached', async () => {
    const { cache } = cacheAt();
    const bytes = await cache.encrypt('text', context, input);
    for (const at of [...bytes.keys()].filter((n) => n < 6 || n > bytes.length - 70)) {
      const changed = Uint8Array.from(bytes, (byte, n) => (n === at ? byte ^ 1 : byte));
      await expect(cache.decrypt(changed, context, input), `byte ${at}`).rejects.toMatchObject({
        code: 'payload_unreadable',
      });
    }
  });
});

test('a failure of KMS is not cached', async () => {
  const { cache } = cacheAt();
  isDown = true;
  await expect(cache.encrypt('x', context, input)).rejects.toThrow();
  isDown = false;
  const bytes = await cache.encrypt('x', context, input);
  const { cache: elsewhere } = cacheAt();
  isDown = true;
  await expect(elsewhere.decrypt(bytes, context, input)).rejects.toMatchObject({
    code: 'dependency_unavailable',
  });
  isDown = false;
  expect(await elsewhere.decrypt(bytes, context, input)).toBe('x');
});
