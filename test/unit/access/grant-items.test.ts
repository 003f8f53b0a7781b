import { describe, expect, test } from 'vitest';
import { type Grant, grant, grantIndex, toGrantItem } from '#lib/access/grant-items.ts';
import { deriveUserId } from '#lib/access/principal.ts';

const example: Grant = {
  grantid: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg',
  userid: deriveUserId('https://issuer.example', 'someone'),
  orgid: 'org_a',
  workspaces: ['ws_a', 'ws_b'],
  clientid: 'https://client.example/metadata.json',
  client_name: 'Assistant',
  scopes: ['agents:read', 'agents:call'],
  created_at: '2026-11-23T09:00:00.000Z',
  expires_at: '2026-12-23T09:00:00.500Z',
};

test('an item is found by the id of its grant, and with all others of its user by age', () => {
  expect(toGrantItem(example)).toMatchObject({
    pk: `GRANT#${example.grantid}`,
    sk: 'META',
    gsi1pk: grantIndex(example.userid),
    gsi1sk: example.created_at,
  });
});

test('an item holds the grant, and DynamoDB deletes it only after its end', () => {
  const item = toGrantItem(example);
  expect(grant.parse(item)).toEqual(example);
  expect(item.ttl).toBe(Math.ceil(Date.parse(example.expires_at) / 1_000));
});

describe('an item is refused', () => {
  test.each<[string, object]>([
    ['without a user', { userid: undefined }],
    ['of an API key', { userid: 'key_1' }],
    ['without workspaces', { workspaces: [] }],
    [
      'with more workspaces than a key can have',
      { workspaces: Array.from({ length: 51 }, (_, n) => `ws_${n}`) },
    ],
    ['whose id could be that of another item', { grantid: 'META#x' }],
    ['without an end', { expires_at: undefined }],
  ])('%s', (_case, change) => {
    expect(grant.safeParse({ ...example, ...change }).success).toBe(false);
  });
});
