// What an operator does to keys that were issued offline, with the table at hand.
import { expect, test } from 'vitest';
import { markOfflineKeyRevoked } from '#lib/api-key/key-items.ts';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';

test('a key that was issued offline can be revoked, and stays unknown to the API', async () => {
  const caller = await newCaller();
  const other = await newCaller({ orgid: caller.orgid });
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  await markOfflineKeyRevoked(caller.id, new Date().toISOString(), soon);
  expect((await call('listApiKeys', { key: caller.key })).problem.code).toBe('unauthenticated');
  const refused = await call('revokeApiKey', { key: other.key, params: { keyid: caller.id } });
  expect(refused.problem.code).toBe('api_key_not_found');
  expect((await call('listApiKeys', { key: other.key })).body.items).toEqual([]);
});
