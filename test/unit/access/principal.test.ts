import { expect, test } from 'vitest';
import { deriveUserId, operatorId, principalKind, rootOf, userId } from '#lib/access/principal.ts';

test.each([
  [deriveUserId('https://issuer.example', 'sub-1'), 'user'],
  [operatorId, 'service'],
  ['key_01JD2Q3V5W7X9Y1Z3A5B7C9D1E', 'api_key'],
  ['key_demo', 'api_key'],
  // Operators may have issued keys under any name.
  ['ci', 'api_key'],
  ['users', 'api_key'],
] as const)('%s names a principal of the kind %s', (id, kind) => {
  expect(principalKind(id)).toBe(kind);
});

test('a user has the same id at each sign-in, whatever the e-mail address', () => {
  expect(deriveUserId('https://issuer.example', 'sub-1')).toBe(
    deriveUserId('https://issuer.example', 'sub-1'),
  );
  expect(userId.safeParse(deriveUserId('https://issuer.example', 'sub-1')).success).toBe(true);
});

test('users of two issuers, and two users whose texts joined are equal, have different ids', () => {
  const ids = [
    deriveUserId('https://issuer.example', 'a'),
    deriveUserId('https://issuer.example/', 'a'),
    deriveUserId('https://issuer.examplea', ''),
    deriveUserId('https://issuer.example', '","a'),
  ];
  expect(new Set(ids).size).toBe(ids.length);
});

test('the root of a chain of keys is that of its first key, or the principal itself', () => {
  expect(rootOf({ id: 'key_2', root: 'user_1' })).toBe('user_1');
  expect(rootOf({ id: 'key_1' })).toBe('key_1');
});
