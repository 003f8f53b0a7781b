import { createHash, createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { Sha256 } from '#lib/sha256.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const hex = async (hash: Sha256) => Buffer.from(await hash.digest()).toString('hex');
const hmac = (key: string | Uint8Array, text: string) => createHmac('sha256', key).update(text).digest('hex');

test('hashes what it was given, in one part or in several', async () => {
  const [one, two] = [new Sha256(), new Sha256()];
  one.update(bytes('abcdef'));
  two.update(bytes('abc'));
  two.update(bytes('def'));
  const expected = createHash('sha256').update('abcdef').digest('hex');
  expect(await hex(one)).toBe(expected);
  expect(await hex(two)).toBe(expected);
  // The signer may read it again.
  expect(await hex(one)).toBe(expected);
  expect(await hex(new Sha256())).toBe(createHash('sha256').digest('hex'));
});

test('begins again after a reset', async () => {
  const hash = new Sha256('key');
  hash.update(bytes('before'));
  hash.reset();
  hash.update(bytes('after'));
  expect(await hex(hash)).toBe(hmac('key', 'after'));
});

test.each([
  ['text', 'one'],
  ['other text', 'two'],
  ['bytes', bytes('one')],
  ['a part of a buffer', bytes('zzthreezz').subarray(2, 7)],
  ['an empty text', ''],
])('signs with a key of %s', async (_what, key) => {
  for (const text of ['first', 'second']) {
    const hash = new Sha256(key);
    hash.update(bytes(text));
    expect(await hex(hash)).toBe(hmac(key, text));
  }
});
